package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sort"
	"sync"
	"time"
)

// corpus writes one profile of each kind that the runtime has, taken while Go source files are parsed and printed: real work with
// deep and varied stacks.
func corpus(folder string) {
	runtime.MemProfileRate = 512
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	cpu, err := os.Create(filepath.Join(folder, "cpu.pb.gz"))
	check(err)
	check(pprof.StartCPUProfile(cpu))
	labels := pprof.Labels("request", "r1", "tenant", "a\xffb")
	pprof.SetGoroutineLabels(pprof.WithLabels(background, labels))
	for start := time.Now(); time.Since(start) < 400*time.Millisecond; {
		work(1, 20)
		contend()
	}
	pprof.StopCPUProfile()
	check(cpu.Close())
	for _, profile := range pprof.Profiles() {
		write(profile.Name(), filepath.Join(folder, profile.Name()+".pb.gz"))
	}
}

// allocations writes the profile of what parsing and printing some source files allocates, of at least so many bytes compressed.
func allocations(path string, seed int64, leastBytes int64) {
	runtime.MemProfileRate = 128
	for files := 4; ; files *= 2 {
		work(seed, files)
		write("allocs", path)
		info, err := os.Stat(path)
		check(err)
		if info.Size() >= leastBytes {
			return
		}
	}
}

func work(seed int64, count int) {
	files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", "*", "*.go"))
	check(err)
	sort.Strings(files)
	random := rand.New(rand.NewSource(seed))
	for range count {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, files[random.Intn(len(files))], nil, parser.ParseComments)
		check(err)
		ast.Inspect(file, func(ast.Node) bool { return true })
		check(format.Node(io.Discard, set, file))
	}
}

// contend makes goroutines wait for one another, for the profiles of that.
func contend() {
	var mutex sync.Mutex
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			mutex.Lock()
			time.Sleep(time.Millisecond)
			mutex.Unlock()
		})
	}
	group.Wait()
}

func write(name, path string) {
	profile := pprof.Lookup(name)
	if profile == nil {
		fail(fmt.Errorf("no profile %q", name))
	}
	file, err := os.Create(path)
	check(err)
	check(profile.WriteTo(file, 0))
	check(file.Close())
}
