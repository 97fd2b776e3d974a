// Goroutines of functions that Go cannot compile before 1.18.
//go:build go1.18

package main

type pair[T any] struct{ value T }

func (p *pair[T]) hold(c chan int) T { <-c; return p.value }

//go:noinline
func hold[T any](value T, c chan int) T { <-c; return value }

func generic() {
	go hold("text", never)
	go hold(&server{}, never)
	go (&pair[int]{}).hold(never)
}
