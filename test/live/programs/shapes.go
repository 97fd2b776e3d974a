// Bounds and nil checks in many shapes, each statement on a line of its own, so that the compiler's list of checks by line
// can be compared with the checks found in the machine code.
package main

import "os"

type node struct {
	pad  [64]byte
	next *node
	key  int
}

type big struct{ words [4096]int }

//go:noinline
func index(xs []int, i int) int {
	return xs[i]
}

//go:noinline
func last(xs []int) int {
	return xs[len(xs)-1]
}

//go:noinline
func first(xs []int) int {
	return xs[0]
}

//go:noinline
func third(s string) byte {
	return s[2]
}

//go:noinline
func small(xs *[10]int, i uint8) int {
	return xs[i]
}

//go:noinline
func signed(xs []int16, i int8) int16 {
	return xs[i]
}

//go:noinline
func from(xs []int, i int) []int {
	return xs[i:]
}

//go:noinline
func to(xs []int, j int) []int {
	return xs[:j]
}

//go:noinline
func fromTo(xs []int, i, j int) []int {
	return xs[i:j]
}

//go:noinline
func full(xs []int, i, j, k int) []int {
	return xs[i:j:k]
}

//go:noinline
func text(s string, i, j int) string {
	return s[i:j]
}

//go:noinline
func array(xs *[100]int, i, j uint) []int {
	return xs[i:j]
}

//go:noinline
func convert(xs []int) *[4]int {
	return (*[4]int)(xs)
}

//go:noinline
func times(a, b, c [][]float64, n int) {
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			sum := 0.0
			for k := 0; k < n; k++ {
				x := a[i][k]
				y := b[k][j]
				sum += x * y
			}
			c[i][j] = sum
		}
	}
}

//go:noinline
func common(a, b string, table []int) int {
	for i := 1; i <= len(a); i++ {
		left := 0
		for j := 1; j <= len(b); j++ {
			above := table[j]
			if a[i-1] == b[j-1] {
				left = above + 1
			} else if table[j-1] > above {
				left = table[j-1]
			}
			table[j] = left
		}
	}
	return table[len(b)]
}

//go:noinline
func sift(heap []int, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if r := child + 1; r < len(heap) && heap[r] < heap[child] {
			child = r
		}
		if heap[i] <= heap[child] {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

//go:noinline
func search(xs []int, x int) int {
	low, high := 0, len(xs)
	for low < high {
		middle := (low + high) / 2
		if xs[middle] < x {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

//go:noinline
func search2(xs []int, from, to, x int) int {
	for from != to {
		if xs[from] == x {
			return from
		}
		from++
	}
	return -1
}

//go:noinline
func sparse(xs []int, steps []int) int {
	sum := 0
	for at := 0; at != len(steps); at = steps[at] {
		sum += xs[at]
	}
	return sum
}

//go:noinline
func cleared(xs []int, i int) big {
	var b big
	b.words[1] = xs[i]
	return b
}

//go:noinline
func choose(xs []int, what, i int) int {
	switch what {
	case 0:
		i += 3
	case 1:
		i *= 5
	case 2:
		i -= 7
	case 3:
		i ^= 9
	case 4:
		i <<= 2
	case 5:
		i = -i
	case 6:
		i = what
	case 7:
		i = 12
	case 8:
		i++
	}
	return xs[i]
}

//go:noinline
func words(s string) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

//go:noinline
func put(buffer []byte, v uint64) {
	buffer[0] = byte(v)
	buffer[3] = byte(v >> 8)
	buffer[7] = byte(v >> 16)
}

//go:noinline
func closure(xs []int) func(int) int {
	return func(i int) int {
		return xs[i]
	}
}

//go:noinline
func rotate(xs []int, by int) {
	for i := range xs {
		j := (i + by) % len(xs)
		xs[i] = xs[j]
	}
}

//go:noinline
func field(n *node) *int {
	return &n.key
}

//go:noinline
func walk(n *node) *int {
	var at *int
	for i := 0; i < 3; i++ {
		at = &n.key
		n = n.next
	}
	return at
}

//go:noinline
func elements(xs *[1 << 20]int) []int {
	return xs[:]
}

//go:noinline
func copied(xs []big, i int) int {
	b := xs[i]
	return b.words[i]
}

func main() {
	n := len(os.Args) + 7
	xs := make([]int, 4*n)
	for i := range xs {
		xs[i] = (i + 1) % len(xs)
	}
	rows := [][]float64{{1, 2}, {3, 4}}
	arrayOf := new([100]int)
	sum := index(xs, n) + last(xs) + first(xs) + int(third("abcdef")) + small(new([10]int), 3)
	sum += int(signed(make([]int16, 9), 3)) + len(from(xs, 2)) + len(to(xs, 3)) + len(fromTo(xs, 1, 3)) + len(full(xs, 1, 2, 3))
	sum += len(text("abcdef", 1, 3)) + len(array(arrayOf, 1, 2)) + convert(xs)[1]
	times(rows, rows, rows, 2)
	sum += common("abcd", "bcde", make([]int, 9))
	sift(xs, 0)
	sum += search(xs, 5) + search2(xs, 0, 3, 99) + sparse(make([]int, 3), []int{1, 2, 3}) + cleared(xs, 3).words[1]
	sum += choose(xs, 2, 12) + len(words("a b c"))
	put(make([]byte, 8), uint64(sum))
	sum += closure(xs)(3)
	rotate(xs, 3)
	sum += *field(&node{key: 1}) + *walk(&node{next: &node{next: &node{}}}) + len(elements(new([1 << 20]int))) + copied(make([]big, 2), 1)
	println(sum)
}
