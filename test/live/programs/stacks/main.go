// Command stacks parks goroutines in a scene, then writes their goroutine profile, and what the runtime itself knows of their stacks:
// bounds, saved stack pointer, and every word on them that may be a return address. PROFILE.txt is the same profile as text.
//
//	stacks SCENE GOROUTINES PROFILE > truth.jsonl
//
// PROFILE.json are all metrics of runtime/metrics that are numbers, PROFILE.heap the heap profile as text, PROFILE.vars what expvar prints.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// scenes by name: each starts n goroutines or so and returns when they are on their way.
var scenes = map[string]func(n int){}

// Reading it needs -ldflags=-checklinkname=0 from Go 1.23 on.
//
//go:linkname allgs runtime.allgs
var allgs []*g

// g has the first fields of the runtime's own, which have kept their places since Go 1.10.
type g struct {
	lo, hi         uintptr
	guard0, guard1 uintptr
	panics, defers uintptr
	m              uintptr
	sp, pc         uintptr
}

type stack struct {
	Size uint64 `json:"size"`
	// Used is from the saved stack pointer to the end of the stack.
	Used uint64 `json:"used"`
	// Words that point into code: bytes from the end of the stack, and the word.
	Words [][2]uint64 `json:"words"`
}

func main() {
	n, err := strconv.Atoi(os.Args[2])
	check(err)
	scenes[os.Args[1]](n)
	settle()
	debug.SetGCPercent(-1)
	// Nothing yields in between: what has not run yet stays so.
	var stacks []stack
	for _, g := range allgs {
		if g.lo != 0 && g.sp > g.lo && g.sp < g.hi {
			stacks = append(stacks, stackOf(g))
		}
	}
	var profile bytes.Buffer
	check(pprof.Lookup("goroutine").WriteTo(&profile, 0))
	held, running := stacksBytes(), threads()
	check(os.WriteFile(os.Args[3], profile.Bytes(), 0o644))
	var text bytes.Buffer
	check(pprof.Lookup("goroutine").WriteTo(&text, 1))
	check(os.WriteFile(os.Args[3]+".txt", text.Bytes(), 0o644))
	writeFigures(os.Args[3])
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for _, stack := range stacks {
		check(encoder.Encode(stack))
	}
	check(encoder.Encode(map[string]uint64{"stacksBytes": held, "threads": running}))
	check(out.Flush())
}

// settle lets the goroutines come to rest, and their stacks shrink to what they need, unless the scene wants them as they are.
func settle() {
	if os.Args[1] == "young" {
		return
	}
	time.Sleep(300 * time.Millisecond)
	for !atRest() {
		time.Sleep(5 * time.Millisecond)
	}
	for range [12]int{} {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
}

// atRest tells whether no goroutine but this one can go on.
func atRest() bool {
	text := make([]byte, 1<<24)
	text = text[:runtime.Stack(text, true)]
	return !bytes.Contains(text, []byte(" [runnable")) && bytes.Count(text, []byte(" [running")) == 1
}

//go:nocheckptr
func stackOf(g *g) stack {
	found := stack{Size: uint64(g.hi - g.lo), Used: uint64(g.hi - g.sp), Words: [][2]uint64{}}
	for at := g.hi - 8; at >= g.sp-8; at -= 8 {
		word := *(*uintptr)(unsafe.Pointer(at))
		if runtime.FuncForPC(word) != nil {
			found.Words = append(found.Words, [2]uint64{uint64(g.hi - at), uint64(word)})
		}
	}
	return found
}

// writeFigures writes what is told of the process: the reading of each allocates no stack.
func writeFigures(path string) {
	var heap bytes.Buffer
	check(pprof.Lookup("heap").WriteTo(&heap, 1))
	check(os.WriteFile(path+".heap", heap.Bytes(), 0o644))
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	vars, err := json.Marshal(map[string]any{"cmdline": os.Args, "memstats": memory})
	check(err)
	check(os.WriteFile(path+".vars", vars, 0o644))
	samples := []metrics.Sample{}
	for _, known := range metrics.All() {
		samples = append(samples, metrics.Sample{Name: known.Name})
	}
	metrics.Read(samples)
	figures := map[string]any{}
	for _, sample := range samples {
		switch sample.Value.Kind() {
		case metrics.KindUint64:
			figures[sample.Name] = sample.Value.Uint64()
		case metrics.KindFloat64:
			figures[sample.Name] = sample.Value.Float64()
		}
	}
	all, err := json.Marshal(figures)
	check(err)
	check(os.WriteFile(path+".json", all, 0o644))
}

func stacksBytes() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64()
}

func threads() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	_, text, _ := strings.Cut(string(status), "\nThreads:\t")
	count, err := strconv.Atoi(text[:strings.IndexByte(text, '\n')])
	check(err)
	return uint64(count)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
