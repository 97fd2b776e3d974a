// Command service is the program behind profpipe's embedded sample: a small job server, run in one process against generated
// requests, and the getlast microbenchmark. Its hot loops index slices and follow pointers, so the compiler's bounds and nil
// checks are part of what they cost. ../make.mjs builds it, profiles it and stores both.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"
)

func main() {
	profile := flag.String("cpuprofile", "", "write a CPU profile to this `file`")
	rate := flag.Int("rate", 100, "samples per second of CPU time")
	seconds := flag.Float64("seconds", 20, "how long to serve, and an eighth of it more for getlast")
	flag.Parse()
	if err := run(*profile, *rate, time.Duration(*seconds*float64(time.Second))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(profile string, rate int, duration time.Duration) error {
	if profile != "" {
		file, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer file.Close()
		// StartCPUProfile asks for 100 Hz, complains on stderr that a rate is set, and keeps ours.
		if rate != 100 {
			runtime.SetCPUProfileRate(rate)
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	calls := 0
	for start := time.Now(); time.Since(start) < duration/8; {
		calls += benchmarkGetLast(1 << 20)
	}
	served, err := serve(newRequests(42), duration, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	used, err := cpuSeconds()
	fmt.Printf(`{"getLastCalls":%d,"requests":%d,"cpuSeconds":%.3f}`+"\n", calls, served, used)
	return err
}

// cpuSeconds is the processor time of this process by the kernel's own books, for comparison with the profile's.
func cpuSeconds() (float64, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds(), err
}
