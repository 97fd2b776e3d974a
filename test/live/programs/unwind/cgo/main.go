// Go calls C, and C calls back into Go: three stacks in turn. Usage: cgo ROUNDS
package main

/*
#cgo CFLAGS: -O2 -fomit-frame-pointer
extern int goCallback(int);
static volatile unsigned long c_sink;
static __attribute__((noinline)) void c_leaf(int n) { for (int i = 0; i < n; i++) c_sink += i * 2654435761UL; }
static __attribute__((noinline)) void c_mid(int n) { c_leaf(n); c_sink++; }
static __attribute__((noinline)) void c_work(int n) { c_mid(n); c_sink++; }
static __attribute__((noinline)) int c_back(int n) { int sum = goCallback(n); c_sink++; return sum; }
static void c_work_of(int n) { c_work(n); }
*/
import "C"

import (
	"os"
	"strconv"
	"sync"
)

//go:noinline
func leafTiny(n int) int { return n*7919 ^ n>>3 }

//go:noinline
func callbackWork(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += leafTiny(i)
	}
	return sum
}

//export goCallback
func goCallback(n C.int) C.int { return C.int(callbackWork(int(n))) }

//go:noinline
func worker(rounds int, done *sync.WaitGroup) {
	sum := 0
	for i := 0; i < rounds; i++ {
		C.c_work_of(1000000)
		sum += int(C.c_back(1000000)) + callbackWork(500000)
	}
	if sum == 42 {
		println(sum)
	}
	done.Done()
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	var done sync.WaitGroup
	for i := 0; i < 2; i++ {
		done.Add(1)
		go worker(rounds, &done)
	}
	done.Wait()
}
