// Parks goroutines in many ways, then writes its goroutine profile in the three forms.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

var (
	parked = make(chan struct{})
	never  = make(chan int)
	full   = make(chan int)
	lock   sync.Mutex
	sink   int
)

type server struct{ requests chan int }

func (s *server) loop() { <-s.requests }

// Inlined into parkInlined, one in the other.
func innermost(c chan int) int { return <-c }
func middle(c chan int) int    { return innermost(c) + 1 }

//go:noinline
func parkInlined(c chan int) { sink = middle(c) + 2 }

//go:noinline
func recurse(depth int, c chan int) int {
	if depth == 0 {
		return <-c
	}
	return recurse(depth-1, c) + 1
}

//go:noinline
func waitInDefer(c chan int) {
	defer func() {
		<-c
		recover()
	}()
	panic("kept waiting")
}

//go:noinline
func faultInDefer(c chan int, p *int) {
	defer func() {
		<-c
		recover()
	}()
	sink = *p
}

//go:noinline
func lockedToThread(c chan int) {
	runtime.LockOSThread()
	<-c
}

func labelled(key, value string, f func()) {
	pprof.Do(context.Background(), pprof.Labels(key, value, "kind", "labelled"), func(context.Context) { f() })
}

func main() {
	lock.Lock()
	var group sync.WaitGroup
	group.Add(1)
	cond := sync.NewCond(&sync.Mutex{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	for i := 0; i < 5; i++ {
		go (&server{make(chan int)}).loop()
	}
	go parkInlined(never)
	go recurse(20, never)
	go recurse(300, never)
	go waitInDefer(never)
	go faultInDefer(never, nil)
	go lockedToThread(never)
	go func() { full <- 1 }()
	go func() { var none chan int; <-none }()
	go func() { select {} }()
	go func() {
		select {
		case <-never:
		case <-parked:
		}
	}()
	go func() { lock.Lock() }()
	go group.Wait()
	go func() { cond.L.Lock(); cond.Wait() }()
	go func() { time.Sleep(time.Hour) }()
	go func() { listener.Accept() }()
	for _, shard := range []string{"a", "b", "b c", "\"quoted\"\n\té\x01\xff"} {
		shard := shard
		go labelled("shard", shard, func() { <-never })
	}
	generic()
	time.Sleep(300 * time.Millisecond)
	for _, name := range []string{"goroutine", "goroutineleak"} {
		for debug := 0; debug <= 2; debug++ {
			profile := pprof.Lookup(name)
			if profile == nil {
				continue
			}
			file, err := os.Create(filepath.Join(os.Args[1], fmt.Sprintf("%s.%d", name, debug)))
			if err != nil {
				panic(err)
			}
			if err := profile.WriteTo(file, debug); err != nil {
				panic(err)
			}
			file.Close()
		}
	}
	fmt.Println(runtime.NumGoroutine())
}
