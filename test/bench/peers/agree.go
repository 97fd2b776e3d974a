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
