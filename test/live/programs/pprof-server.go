// Serves net/http/pprof on a free port, over TLS where a certificate and key are named, and keeps busy so that there is something to see.
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

var (
	lock   sync.Mutex
	kept   [][]byte
	rounds int
)

//go:noinline
func work() {
	for {
		lock.Lock()
		rounds++
		kept = append(kept[:len(kept)%64], make([]byte, 4096))
		for until := time.Now().Add(2 * time.Millisecond); time.Now().Before(until); {
		}
		lock.Unlock()
		time.Sleep(2 * time.Millisecond)
	}
}

func main() {
	// With any other rate Go 1.18 takes the next sample of each processor by the rate before, a thousand times as far away.
	runtime.MemProfileRate = 1
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	go work()
	go work()
	// Whoever asks first already finds blocks that are kept (a heap profile is as of the last collection) and waits for the lock.
	for isReady := false; !isReady; time.Sleep(10 * time.Millisecond) {
		lock.Lock()
		isReady = rounds > 64 && pprof.Lookup("mutex").Count() > 0 && pprof.Lookup("block").Count() > 0
		lock.Unlock()
	}
	runtime.GC()
	runtime.GC()
	address := "127.0.0.1:0"
	if len(os.Args) > 3 {
		address = os.Args[3]
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	if len(os.Args) > 2 && os.Args[1] != "" {
		panic(http.ServeTLS(listener, nil, os.Args[1], os.Args[2]))
	}
	panic(http.Serve(listener, nil))
}
