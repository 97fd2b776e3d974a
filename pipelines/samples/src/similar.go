package main

import "encoding/json"

// similar gives the length of the longest common subsequence of two texts.
func similar(params []byte) (any, error) {
	var in struct{ A, B string }
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, err
	}
	return longestCommonSubsequence([]byte(in.A), []byte(in.B)), nil
}

func longestCommonSubsequence(a, b []byte) int {
	above, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for i := range a {
		for j := 1; j <= len(b); j++ {
			switch {
			case a[i] == b[j-1]:
				row[j] = above[j-1] + 1
			case above[j] >= row[j-1]:
				row[j] = above[j]
			default:
				row[j] = row[j-1]
			}
		}
		above, row = row, above
	}
	return above[len(b)]
}
