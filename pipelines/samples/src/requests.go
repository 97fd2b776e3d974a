package main

import "fmt"

// newRequests makes the same requests for the same seed, of all methods alike.
func newRequests(seed uint64) [][]byte {
	random := random(seed)
	requests := make([][]byte, 0, 500)
	for range cap(requests) / 5 {
		requests = append(requests,
			fmt.Appendf(nil, `{"method":"similar","params":{"a":%q,"b":%q}}`, random.letters(400), random.letters(420)),
			fmt.Appendf(nil, `{"method":"route","params":{"nodes":2000,"edges":8000,"by":%d,"seed":%d}}`, random.below(measures), random.next()>>32),
			fmt.Appendf(nil, `{"method":"multiply","params":{"size":56,"seed":%d}}`, random.next()>>32),
			fmt.Appendf(nil, `{"method":"sort","params":{"count":6000,"seed":%d}}`, random.next()>>32),
			fmt.Appendf(nil, `{"method":"scan","params":{"text":%q}}`, random.letters(30000)),
		)
	}
	return requests
}

// random is a splitmix64 generator: what a seed gives does not change with Go's version.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) below(n int) int {
	return int(r.next() % uint64(n))
}

func (r *random) letters(n int) []byte {
	text := make([]byte, n)
	for i := range text {
		text[i] = 'a' + byte(r.below(4))
	}
	return text
}

func newWords(seed uint64, n int) []string {
	random := random(seed)
	words := make([]string, n)
	for i := range words {
		words[i] = string(random.letters(4 + random.below(5)))
	}
	return words
}
