// Command server is the program behind the embedded goroutine dump: an HTTP server and its clients in one process, with what
// services have parked: idle connections, a pool of workers, requests that queue for a lock, timers, and a leak.
// ../make-goroutines.mjs builds it, waits, and stores what /debug/pprof/goroutine?debug=2 answers.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

func main() {
	age := flag.Duration("age", 70*time.Second, "how long goroutines are parked before the dump")
	flag.Parse()
	if err := run(*age, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(age time.Duration, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	inventory := &inventory{}
	http.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello\n") })
	http.HandleFunc("/search", search)
	http.HandleFunc("/report", inventory.report)
	go http.Serve(listener, nil)
	go tick(time.Hour)
	go holdThread()
	startThumbnails(8)

	base := "http://" + listener.Addr().String()
	for i := 0; i < 10; i++ {
		keepAlive(base + "/hello")
	}
	for i := 0; i < 6; i++ {
		if err := get(http.DefaultClient, base+"/search?q=go", io.Discard); err != nil {
			return err
		}
	}
	inventory.lock.Lock()
	for i := 0; i < 9; i++ {
		go get(http.DefaultClient, fmt.Sprintf("%s/report?tenant=%s", base, []string{"acme", "globex", "initech"}[i%3]), io.Discard)
	}
	time.Sleep(100 * time.Millisecond)
	// The collector times a wait: from the mark phase before the first one that finds the goroutine parked.
	runtime.GC()
	runtime.GC()
	time.Sleep(age)
	return get(http.DefaultClient, base+"/debug/pprof/goroutine?debug=2", out)
}

func get(client *http.Client, url string, out io.Writer) error {
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(out, response.Body)
	return err
}

// keepAlive leaves an idle connection behind: two goroutines in the client, one in the server.
func keepAlive(url string) {
	client := &http.Client{Transport: &http.Transport{}}
	if err := get(client, url, io.Discard); err != nil {
		panic(err)
	}
}

// search asks three backends and takes the first answer; the channel has no room, so the other two wait for ever.
func search(w http.ResponseWriter, r *http.Request) {
	answers := make(chan string)
	for _, backend := range []string{"east", "west", "local"} {
		go func() { answers <- askBackend(backend, r.FormValue("q")) }()
	}
	io.WriteString(w, <-answers)
}

func askBackend(backend, query string) string { return backend + ": " + query }

type inventory struct {
	lock  sync.Mutex
	items map[string]int
}

// report is labelled with its tenant, and queues for the lock.
func (i *inventory) report(w http.ResponseWriter, r *http.Request) {
	labels := pprof.Labels("tenant", r.FormValue("tenant"), "endpoint", "report")
	pprof.Do(r.Context(), labels, func(context.Context) { fmt.Fprintln(w, i.count()) })
}

func (i *inventory) count() int {
	i.lock.Lock()
	defer i.lock.Unlock()
	return len(i.items)
}

// startThumbnails starts a pool of workers that have nothing to do.
func startThumbnails(workers int) {
	jobs := make(chan string)
	pprof.Do(context.Background(), pprof.Labels("pool", "thumbnails"), func(context.Context) {
		for range workers {
			go scaleAll(jobs)
		}
	})
}

func scaleAll(jobs <-chan string) {
	for job := range jobs {
		runtime.KeepAlive(job)
	}
}

func tick(interval time.Duration) {
	ticker := time.NewTicker(interval)
	reload := make(chan os.Signal, 1)
	for {
		select {
		case <-ticker.C:
		case <-reload:
		}
	}
}

// holdThread owns its thread, as code that talks to a graphics library does.
func holdThread() {
	runtime.LockOSThread()
	select {}
}
