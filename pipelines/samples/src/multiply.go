package main

import "encoding/json"

type matrix [][]float64

// multiply gives the trace of the product of two random matrices.
func multiply(params []byte) (any, error) {
	var in struct {
		Size int
		Seed uint64
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, err
	}
	random := random(in.Seed)
	a, b := newMatrix(in.Size, &random), newMatrix(in.Size, &random)
	product := a.times(b)
	var trace float64
	for i := range product {
		trace += product[i][i]
	}
	return trace, nil
}

func newMatrix(size int, random *random) matrix {
	m := make(matrix, size)
	for i := range m {
		m[i] = make([]float64, size)
		for j := range m[i] {
			m[i][j] = float64(random.below(1000)) / 1000
		}
	}
	return m
}

func (a matrix) times(b matrix) matrix {
	product := make(matrix, len(a))
	for i := range product {
		product[i] = make([]float64, len(b[0]))
		for j := range product[i] {
			for k := range b {
				product[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return product
}
