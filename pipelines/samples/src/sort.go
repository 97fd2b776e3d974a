package main

import "encoding/json"

// sortNumbers gives the median of random numbers, sorted for it.
func sortNumbers(params []byte) (any, error) {
	var in struct {
		Count int
		Seed  uint64
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, err
	}
	random := random(in.Seed)
	numbers := make([]int, in.Count)
	for i := range numbers {
		numbers[i] = random.below(1 << 20)
	}
	heapSort(numbers)
	return numbers[len(numbers)/2], nil
}

func heapSort(xs []int) {
	for root := len(xs)/2 - 1; root >= 0; root-- {
		siftDown(xs, root, len(xs))
	}
	for end := len(xs) - 1; end > 0; end-- {
		xs[0], xs[end] = xs[end], xs[0]
		siftDown(xs, 0, end)
	}
}

func siftDown(xs []int, root, end int) {
	for {
		child := 2*root + 1
		if child >= end {
			return
		}
		if child+1 < end && xs[child] < xs[child+1] {
			child++
		}
		if xs[root] >= xs[child] {
			return
		}
		xs[root], xs[child] = xs[child], xs[root]
		root = child
	}
}
