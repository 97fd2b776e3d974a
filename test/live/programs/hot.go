// Bounds and nil checks that take time, and its CPU profile: hot PROFILE.
package main

import (
	"os"
	"runtime/pprof"
	"time"
)

type item struct {
	pad [32]int
	key int
}

//go:noinline
func gather(table, at []int) int {
	sum := 0
	for i := range at {
		sum += table[at[i]]
	}
	return sum
}

//go:noinline
func keyOf(x *item) *int {
	return &x.key
}

func main() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(file)
	table := make([]int, 1<<14)
	at := make([]int, 1<<14)
	for i := range at {
		at[i] = i * 7919 % len(table)
	}
	items := []*item{{}, {}, {}}
	sum := 0
	for start, rounds := time.Now(), 0; rounds < 60000 || time.Since(start) < 1500*time.Millisecond; rounds++ {
		sum += gather(table, at)
		for i := 0; i < 1<<14; i++ {
			sum += *keyOf(items[i%3])
		}
	}
	pprof.StopCPUProfile()
	file.Close()
	println(sum)
}
