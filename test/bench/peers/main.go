// What profpipe is held against: google/pprof's own package, for the time that its steps take and for what it reads and merges; and
// a real program that makes the profiles for it. Times are one JSON list of milliseconds, a round each.
//
//	peers parse|parse-uncompressed|write|write-uncompressed FILE ROUNDS
//	peers merge ROUNDS FILE...
//	peers corpus FOLDER
//	peers allocations FILE SEED LEAST_BYTES
//	peers service FILE SEED PROCESSOR_MS
//	peers agree
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/google/pprof/profile"
)

var background = context.Background()

func main() {
	arguments := os.Args[1:]
	if len(arguments) == 0 {
		fail(errors.New("which step?"))
	}
	step, arguments := arguments[0], arguments[1:]
	switch {
	case step == "agree" && len(arguments) == 0:
		agree()
	case step == "corpus" && len(arguments) == 1:
		corpus(arguments[0])
	case step == "allocations" && len(arguments) == 3:
		allocations(arguments[0], integer(arguments[1]), integer(arguments[2]))
	case step == "service" && len(arguments) == 3:
		service(arguments[0], integer(arguments[1]), time.Duration(integer(arguments[2]))*time.Millisecond)
	case step == "merge" && len(arguments) > 1:
		merge(int(integer(arguments[0])), arguments[1:])
	case len(arguments) == 2:
		zipped, err := os.ReadFile(arguments[0])
		check(err)
		single(step, zipped, int(integer(arguments[1])))
	default:
		fail(fmt.Errorf("wrong arguments for %q", step))
	}
}

func integer(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	check(err)
	return value
}

func single(step string, zipped []byte, rounds int) {
	raw := gunzip(zipped)
	parsed, err := profile.ParseUncompressed(raw)
	check(err)
	steps := map[string]func(){
		"parse":              func() { _, err := profile.Parse(bytes.NewReader(zipped)); check(err) },
		"parse-uncompressed": func() { _, err := profile.ParseUncompressed(raw); check(err) },
		"write":              func() { check(parsed.Write(io.Discard)) },
		"write-uncompressed": func() { check(parsed.WriteUncompressed(io.Discard)) },
	}
	run, ok := steps[step]
	if !ok {
		fail(fmt.Errorf("no step %q", step))
	}
	measure(rounds, run)
}

// merge measures profile.Merge alone: the profiles are parsed before each round, since Merge may change them.
func merge(rounds int, names []string) {
	times := []float64{}
	for range rounds {
		profiles := []*profile.Profile{}
		for _, name := range names {
			zipped, err := os.ReadFile(name)
			check(err)
			parsed, err := profile.ParseData(zipped)
			check(err)
			profiles = append(profiles, parsed)
		}
		start := time.Now()
		_, err := profile.Merge(profiles)
		times = append(times, milliseconds(start))
		check(err)
	}
	print(times)
}

func measure(rounds int, run func()) {
	run()
	times := []float64{}
	for range rounds {
		start := time.Now()
		run()
		times = append(times, milliseconds(start))
	}
	print(times)
}

func milliseconds(start time.Time) float64 {
	return float64(time.Since(start).Microseconds()) / 1000
}

func print(times []float64) {
	check(json.NewEncoder(os.Stdout).Encode(times))
}

func gunzip(zipped []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	check(err)
	raw, err := io.ReadAll(reader)
	check(err)
	return raw
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "peers:", err)
	os.Exit(1)
}
