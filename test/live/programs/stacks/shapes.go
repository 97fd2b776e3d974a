package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Nobody sends to the one, nobody receives from the other.
var forever, unheard = make(chan int), make(chan int)

type doer interface{ do(n int) int }
type small struct{ n int }
type large [50]int

func (s small) do(n int) int  { <-forever; return s.n + n }
func (l *large) do(n int) int { <-forever; return l[n%50] }

//go:noinline
func oneThousand(c chan int) [1000]byte {
	var a [1000]byte
	a[<-c%1000] = 1
	return a
}

//go:noinline
func hundredThousand(c chan int) byte {
	var a [100_000]byte
	a[<-c%1000] = 1
	return a[len(a)/2]
}

//go:noinline
func between(c chan int, depth int) byte {
	var a [200]byte
	if depth == 0 {
		a[<-c%100] = 1
	} else {
		a[0] = between(c, depth-1)
	}
	return a[len(a)/2]
}

func generic[T any](value T, c chan T) T {
	held := [16]T{value}
	select {
	case held[3] = <-c:
	case <-forever:
	}
	return held[3]
}

func inlined(c chan int) int    { return inlinedToo(c) + 1 }
func inlinedToo(c chan int) int { return <-c }

func deferred(mu *sync.Mutex) {
	defer func() {
		recovered := recover()
		mu.Lock()
		fmt.Println(recovered)
	}()
	var none []int
	none[len(os.Args)] = 1
}

func nilAccess() {
	defer func() { <-forever }()
	var none *large
	none[3]++
}

func init() {
	scenes["shapes"] = shapes
	scenes["young"] = func(n int) {
		runtime.GOMAXPROCS(1)
		for range make([]int, n) {
			go oneThousand(forever)
		}
		for i := range make([]int, n) {
			go func() { between(forever, i%8) }()
		}
	}
	scenes["deep"] = func(n int) {
		for i := range make([]int, n) {
			i := i
			go func() { between(forever, i%40*10) }()
		}
	}
	scenes["grown"] = func(n int) {
		var done sync.WaitGroup
		for i := range make([]int, n) {
			i := i
			done.Add(1)
			go func() {
				full := make(chan int, 1)
				full <- 0
				between(full, i%40)
				done.Done()
				<-forever
			}()
		}
		done.Wait()
	}
}

func shapes(n int) {
	var locked sync.Mutex
	locked.Lock()
	reader, _, err := os.Pipe()
	check(err)
	var raw [2]int
	check(syscall.Pipe(raw[:]))
	waiting := sync.NewCond(&sync.Mutex{})
	ctx, cancel := context.WithCancel(context.Background())
	_ = cancel
	var group sync.WaitGroup
	group.Add(1)
	kinds := []func(){
		func() { <-forever },
		func() { unheard <- 1 },
		func() { select {} },
		func() {
			select {
			case <-forever:
			case unheard <- 2:
			case <-time.After(time.Hour):
			}
		},
		func() { locked.Lock() },
		func() { time.Sleep(time.Hour) },
		func() { group.Wait() },
		func() { waiting.L.Lock(); waiting.Wait() },
		func() { <-ctx.Done() },
		func() { var b [64]byte; reader.Read(b[:]) },
		func() { oneThousand(forever) },
		func() { hundredThousand(forever) },
		func() { between(forever, 1) },
		func() { between(forever, 9) },
		func() { inlined(forever) },
		func() { generic(1, forever) },
		func() { generic(struct{ a, b, c int }{}, nil) },
		func() { generic("x", nil) },
		func() { var d doer = small{1}; d.do(1) },
		func() { var d doer = &large{}; d.do(1) },
		func() {
			reflect.ValueOf(small{2}).MethodByName("Do")
			reflect.ValueOf(oneThousand).Call([]reflect.Value{reflect.ValueOf(forever)})
		},
		func() { f := small{3}.do; f(2) },
		func() {
			made := reflect.MakeFunc(reflect.TypeOf(func(int) int { return 0 }), func([]reflect.Value) []reflect.Value { <-forever; return nil })
			made.Interface().(func(int) int)(1)
		},
		func() { sort.Slice([]int{3, 1, 2}, func(i, j int) bool { <-forever; return i < j }) },
		func() { strings.Map(func(r rune) rune { <-forever; return r }, "text") },
		func() { deferred(&locked) },
		nilAccess,
		func() { new(sync.Once).Do(func() { <-forever }) },
		func() { var m sync.Map; m.Store(1, 2); m.Range(func(any, any) bool { <-forever; return true }) },
		func() { runtime.LockOSThread(); <-forever },
	}
	for i := range make([]int, n) {
		go kinds[i%len(kinds)]()
	}
	for range [6]int{} {
		go func() { var b [64]byte; syscall.Read(raw[0], b[:]) }()
	}
	go oneThousand(forever)
	go small{4}.do(1)
	go (&large{}).do(2)
}
