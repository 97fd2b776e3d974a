// What google/pprof's own package takes for the steps that profpipe is measured on. Prints one JSON object: milliseconds of each
// round, the first ones (warm-up) left out.
//
//	peers parse|parse-uncompressed|write|write-uncompressed FILE ROUNDS
//	peers merge ROUNDS FILE...
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/google/pprof/profile"
)

func main() {
	if len(os.Args) < 4 {
		fail(fmt.Errorf("usage: peers STEP FILE ROUNDS | peers merge ROUNDS FILE..."))
	}
	step := os.Args[1]
	if step == "merge" {
		rounds, err := strconv.Atoi(os.Args[2])
		check(err)
		merge(rounds, os.Args[3:])
		return
	}
	rounds, err := strconv.Atoi(os.Args[3])
	check(err)
	zipped, err := os.ReadFile(os.Args[2])
	check(err)
	single(step, zipped, rounds)
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
