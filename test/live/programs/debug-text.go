// Allocates, waits and starts threads, then writes the profiles of all that as pprof (.0) and as text (.1), of the same records.
package main

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	kept []interface{}
	lock sync.Mutex
)

// Inlined into allocate.
func grow(size int) []byte   { return make([]byte, size) }
func double(size int) []byte { return grow(2 * size) }

//go:noinline
func allocate(size int) []byte { return double(size) }

//go:noinline
func recurse(depth, size int) {
	if depth > 0 {
		recurse(depth-1, size)
		return
	}
	for i := 0; i < 20; i++ {
		block := allocate(size)
		if i%3 == 0 {
			kept = append(kept, block)
		}
	}
}

//go:noinline
func contend(wait time.Duration) {
	lock.Lock()
	time.Sleep(wait)
	func() { defer lock.Unlock() }()
}

func locked() {
	runtime.LockOSThread()
	time.Sleep(20 * time.Millisecond)
}

func wait() {
	channel := make(chan int)
	var group sync.WaitGroup
	for i := 0; i < 20; i++ {
		group.Add(4)
		pause := time.Duration(i) * 100 * time.Microsecond
		go func() { defer group.Done(); contend(pause) }()
		go func() { defer group.Done(); locked() }()
		go func() { defer group.Done(); channel <- 1 }()
		go func() { defer group.Done(); time.Sleep(pause); <-channel }()
	}
	group.Wait()
}

func main() {
	fraction, _ := strconv.Atoi(os.Args[2])
	runtime.SetMutexProfileFraction(fraction)
	runtime.SetBlockProfileRate(1)
	for size := 1; size < 1<<18; size += size/3 + 1 {
		for depth := 0; depth < 20; depth += 3 {
			recurse(depth, size)
		}
	}
	for i := 0; i < 50; i++ {
		kept = append(kept, strings.Repeat("text", i), map[int]string{i: strconv.Itoa(i)})
	}
	// Of a fraction of the contentions none may be among those that are counted.
	for wait(); pprof.Lookup("mutex").Count() == 0; {
		wait()
	}
	runtime.SetBlockProfileRate(0)
	// What is known of the heap is as of the last two collections.
	runtime.GC()
	runtime.GC()
	debug.SetGCPercent(-1)
	for _, name := range []string{"heap", "allocs", "block", "mutex", "threadcreate"} {
		for form := 0; form <= 1; form++ {
			file, err := os.Create(filepath.Join(os.Args[1], name+"."+strconv.Itoa(form)))
			if err == nil {
				err = pprof.Lookup(name).WriteTo(file, form)
			}
			if err == nil {
				err = file.Close()
			}
			if err != nil {
				panic(err)
			}
		}
	}
	runtime.KeepAlive(kept)
}
