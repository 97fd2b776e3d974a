// Goroutines whose chains are known: leaves without frames, callbacks, growing stacks, panics, garbage collection, system calls.
// Usage: goroutines ROUNDS
package main

import (
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

var sink int

//go:noinline
func leafTiny(n int) int { return n*7919 ^ n>>3 }

//go:noinline
func leaves(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += leafTiny(i)
	}
	return sum
}

//go:noinline
func copies(n int) int {
	from, to := make([]byte, n), make([]byte, n)
	for i := 0; i < 200; i++ {
		copy(to, from)
		from[i%n]++
	}
	return int(to[0])
}

//go:noinline
func grow(depth, n int) int {
	var room [512]byte
	room[depth%512] = byte(n)
	if depth == 0 {
		return leaves(n)
	}
	return grow(depth-1, n) + int(room[(depth+1)%512])
}

//go:noinline
func sorts(n int) int {
	words := make([]string, n)
	for i := range words {
		words[i] = strconv.Itoa(i * 7919 % n)
	}
	sort.Slice(words, func(a, b int) bool { return words[a] < words[b] })
	return len(strings.Join(words, ","))
}

//go:noinline
func panics(n int) (caught int) {
	for i := 0; i < n; i++ {
		func() {
			defer func() {
				if recover() != nil {
					caught += leaves(50) & 1
				}
			}()
			panicInner(i)
		}()
	}
	return caught
}

//go:noinline
func panicInner(i int) {
	var none []int
	sink += none[i]
}

//go:noinline
func allocates(n int) int {
	index := map[int][]int{}
	for i := 0; i < n; i++ {
		index[i%1000] = append(index[i%1000], i)
	}
	return len(index)
}

//go:noinline
func calls(n int) {
	var usage syscall.Rusage
	for i := 0; i < n; i++ {
		syscall.Getrusage(0, &usage)
	}
}

//go:noinline
func worker(rounds int, done *sync.WaitGroup) {
	for i := 0; i < rounds; i++ {
		sink += leaves(300000) + copies(10000) + sorts(3000) + panics(200) + allocates(20000)
		sink += grow(6, 100000)
		fresh := make(chan int)
		go fresher(fresh)
		sink += <-fresh
		calls(300)
	}
	done.Done()
}

// A new goroutine has a small stack, which grows here.
//
//go:noinline
func fresher(out chan int) { out <- grow(40, 20000) }

func main() {
	rounds := 1
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	var done sync.WaitGroup
	for i := 0; i < 3; i++ {
		done.Add(1)
		go worker(rounds, &done)
	}
	done.Wait()
	runtime.GC()
	os.Stdout.WriteString(strconv.Itoa(sink&1) + "\n")
}
