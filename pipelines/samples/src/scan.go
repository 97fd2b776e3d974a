package main

import "encoding/json"

// vocabulary is what every text is searched for: some megabytes, more than a processor's nearest caches hold.
var vocabulary = newAutomaton(newWords(7, 3000))

// scan counts the places in a text where a word of the vocabulary ends.
func scan(params []byte) (any, error) {
	var in struct{ Text string }
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, err
	}
	return vocabulary.count([]byte(in.Text)), nil
}

// state is one of an automaton by Aho and Corasick: what was read so far ends with the longest beginning of a word that it stands
// for. Every state has a next one for every byte, so a walk tests no pointer for nil; the compiler, who cannot know, does.
type state struct {
	next    [256]*state
	ends    int // words that end here
	failure *state
}

type automaton struct {
	root *state
}

func newAutomaton(words []string) automaton {
	root := &state{}
	for _, word := range words {
		at := root
		for _, c := range []byte(word) {
			if at.next[c] == nil {
				at.next[c] = &state{}
			}
			at = at.next[c]
		}
		at.ends++
	}
	root.failure = root
	for queue := []*state{root}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for c, next := range at.next {
			shorter := root
			if at != root {
				shorter = at.failure.next[c]
			}
			if next == nil {
				at.next[c] = shorter
				continue
			}
			next.failure = shorter
			next.ends += shorter.ends
			queue = append(queue, next)
		}
	}
	return automaton{root}
}

func (a automaton) count(text []byte) int {
	found, at := 0, a.root
	for _, c := range text {
		at = at.next[c]
		found += at.ends
	}
	return found
}
