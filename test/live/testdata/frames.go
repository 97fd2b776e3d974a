// Prints what the runtime of this very binary says about addresses: the lines of its standard input are bytes from main.main's entry.
// With the argument "profile" it works for a while and writes its CPU profile instead.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"text/template"
	"time"
	_ "unsafe"
)

//go:linkname expandFinalInlineFrame runtime/pprof.runtime_expandFinalInlineFrame
func expandFinalInlineFrame(stk []uintptr) []uintptr

type shape interface{ area() float64 }
type square struct{ side float64 }

func (s square) area() float64 { return s.side * s.side }

func sum(shapes []shape) (total float64) {
	for _, s := range shapes {
		total += s.area()
	}
	return total
}

func work() {
	shapes := make([]shape, 1000)
	for i := range shapes {
		shapes[i] = square{float64(i % 7)}
	}
	sort.Slice(shapes, func(i, j int) bool { return shapes[i].area() < shapes[j].area() })
	json.NewEncoder(io.Discard).Encode(sum(shapes))
	template.Must(template.New("").Parse("{{.}}")).Execute(io.Discard, strings.Repeat("x", 1000))
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "profile" {
		if err := pprof.StartCPUProfile(os.Stdout); err != nil {
			panic(err)
		}
		for start, rounds := time.Now(), 0; rounds < 5000 || time.Since(start) < 700*time.Millisecond; rounds++ {
			work()
		}
		pprof.StopCPUProfile()
		return
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	entry := reflect.ValueOf(main).Pointer()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		offset, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			panic(err)
		}
		pc := uintptr(int64(entry) + offset)
		frames := runtime.CallersFrames(expandFinalInlineFrame([]uintptr{pc + 1}))
		fmt.Fprintf(out, "%d", offset)
		for {
			frame, more := frames.Next()
			fmt.Fprintf(out, "\t%s\t%s\t%d", frame.Function, frame.File, frame.Line)
			if !more {
				break
			}
		}
		fmt.Fprintln(out)
	}
}
