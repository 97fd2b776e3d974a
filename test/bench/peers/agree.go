package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/google/pprof/profile"
)

// agree reads questions from stdin and answers each with a line: "ok", or what differs. A question is a letter and a number of
// blobs, each with its length in front (little-endian, 32 bits).
//
//	r original rewritten     both are the same profile to google/pprof
//	m input... merged        the last is what google/pprof makes of the others
//	t text rewritten         the values of both are the same to google/pprof, sample by sample
func agree() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		letter, err := in.ReadByte()
		if err == io.EOF {
			return
		}
		check(err)
		blobs := make([][]byte, number(in))
		for i := range blobs {
			blobs[i] = make([]byte, number(in))
			_, err := io.ReadFull(in, blobs[i])
			check(err)
		}
		answer := "ok"
		if err := compare(letter, blobs); err != nil {
			answer = err.Error()
		}
		fmt.Fprintf(out, "%q\n", answer)
	}
}

func number(in io.Reader) uint32 {
	var value uint32
	check(binary.Read(in, binary.LittleEndian, &value))
	return value
}

func compare(letter byte, blobs [][]byte) error {
	profiles := []*profile.Profile{}
	for i, blob := range blobs {
		parsed, err := profile.ParseData(blob)
		if err != nil {
			return fmt.Errorf("blob %d: %w", i, err)
		}
		profiles = append(profiles, parsed)
	}
	last := len(profiles) - 1
	ours := profiles[last]
	theirs := profiles[0]
	if letter == 't' {
		return firstDifference(values(theirs), values(ours))
	}
	if letter == 'm' {
		merged, err := profile.Merge(profiles[:last])
		if err != nil {
			return err
		}
		theirs = merged
		// Where we differ on purpose: comments are sorted, and the time is the earliest.
		slices.Sort(theirs.Comments)
		theirs.TimeNanos = earliest(profiles[:last])
	}
	if !bytes.Equal(written(theirs), written(ours)) {
		return fmt.Errorf("differs:\n%s\n-- ours --\n%s", theirs, ours)
	}
	return nil
}

// values are what a profile counts, without the stacks: a line for its header, one for each sample.
func values(p *profile.Profile) []string {
	lines := []string{fmt.Sprint(p.DurationNanos, p.Period, *p.PeriodType)}
	for _, sampleType := range p.SampleType {
		lines[0] += fmt.Sprint(*sampleType)
	}
	for _, sample := range p.Sample {
		size := sample.NumLabel["bytes"]
		// The label of an empty sample does not survive Parse.
		if len(size) == 1 && size[0] == 0 {
			size = nil
		}
		lines = append(lines, fmt.Sprint(sample.Value, size))
	}
	return lines
}

func firstDifference(theirs, ours []string) error {
	for i := range max(len(theirs), len(ours)) {
		if i >= len(theirs) || i >= len(ours) || theirs[i] != ours[i] {
			return fmt.Errorf("differs at %d:\n%s\n-- ours --\n%s", i, theirs[min(i, len(theirs)):], ours[min(i, len(ours)):])
		}
	}
	return nil
}

func earliest(profiles []*profile.Profile) int64 {
	var time int64
	for _, p := range profiles {
		if p.TimeNanos != 0 && (time == 0 || p.TimeNanos < time) {
			time = p.TimeNanos
		}
	}
	return time
}

func written(p *profile.Profile) []byte {
	var buffer bytes.Buffer
	check(p.WriteUncompressed(&buffer))
	return buffer.Bytes()
}
