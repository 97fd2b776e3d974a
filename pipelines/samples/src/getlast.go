package main

// getLast reads the last element of a slice, as a function of its own: one bounds check (an index of -1 when xs is empty) and
// one load are all that it does.
//
//go:noinline
func getLast(xs []int) int {
	return xs[len(xs)-1]
}

var sink int

// benchmarkGetLast calls it 4n times.
func benchmarkGetLast(n int) int {
	xs := []int{0, 2, 3, 5}
	for range n {
		sink += getLast(xs)
		sink += getLast(xs)
		sink += getLast(xs)
		sink += getLast(xs)
	}
	return 4 * n
}
