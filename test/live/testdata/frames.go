// Prints what the runtime of this very binary says about addresses: the lines of its standard input are bytes from main.main's entry.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	_ "runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"text/template"
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

func main() {
	if len(os.Args) > 1 && os.Args[1] == "work" {
		shapes := []shape{square{2}, square{3}}
		sort.Slice(shapes, func(i, j int) bool { return shapes[i].area() < shapes[j].area() })
		json.NewEncoder(os.Stdout).Encode(sum(shapes))
		template.Must(template.New("").Parse("{{.}}")).Execute(os.Stdout, strings.Repeat("x", 3))
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
