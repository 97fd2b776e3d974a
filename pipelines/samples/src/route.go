package main

import (
	"encoding/json"
	"fmt"
)

// measures of a way: minutes and cents.
const measures = 2

type node struct {
	edges    *edge
	distance [measures]int
	place    int // in the heap; -1 outside
}

type edge struct {
	to     *node
	length [measures]int
	next   *edge
}

// route gives the length of the shortest way from the first to the last node of a random graph, by one of the measures.
func route(params []byte) (any, error) {
	var in struct {
		Nodes, Edges, By int
		Seed             uint64
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, err
	}
	if in.By < 0 || in.By >= measures {
		return nil, fmt.Errorf("measure %d of %d", in.By, measures)
	}
	nodes := newGraph(in.Nodes, in.Edges, random(in.Seed))
	return shortestWay(nodes[0], nodes[len(nodes)-1], in.By), nil
}

func newGraph(size, edges int, random random) []*node {
	nodes := make([]*node, size)
	for i := range nodes {
		nodes[i] = &node{distance: [measures]int{1 << 40, 1 << 40}, place: -1}
	}
	for i := range edges {
		from, to := nodes[i%size], nodes[random.below(size)]
		from.edges = &edge{to: to, length: [measures]int{1 + random.below(100), random.below(500)}, next: from.edges}
	}
	return nodes
}

func shortestWay(from, to *node, by int) int {
	from.distance[by] = 0
	open := heap{by: by}
	open.push(from)
	for len(open.nodes) > 0 {
		nearest := open.pop()
		if nearest == to {
			break
		}
		for e := nearest.edges; e != nil; e = e.next {
			if d := nearest.distance[by] + e.length[by]; d < e.to.distance[by] {
				e.to.distance[by] = d
				open.push(e.to)
			}
		}
	}
	return to.distance[by]
}

// heap holds the nodes that are still to be looked at, the nearest first.
type heap struct {
	nodes []*node
	by    int
}

func (h *heap) push(n *node) {
	if n.place < 0 {
		n.place = len(h.nodes)
		h.nodes = append(h.nodes, n)
	}
	h.up(n.place)
}

func (h *heap) pop() *node {
	nearest, last := h.nodes[0], h.nodes[len(h.nodes)-1]
	h.nodes = h.nodes[:len(h.nodes)-1]
	nearest.place = -1
	if nearest != last {
		h.nodes[0] = last
		last.place = 0
		h.down(0)
	}
	return nearest
}

func (h *heap) nearer(i, j int) bool {
	return h.nodes[i].distance[h.by] < h.nodes[j].distance[h.by]
}

func (h *heap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.nearer(i, parent) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h *heap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.nodes) {
			return
		}
		if right := child + 1; right < len(h.nodes) && h.nearer(right, child) {
			child = right
		}
		if !h.nearer(child, i) {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h *heap) swap(i, j int) {
	h.nodes[i], h.nodes[j] = h.nodes[j], h.nodes[i]
	h.nodes[i].place, h.nodes[j].place = i, j
}
