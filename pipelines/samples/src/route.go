package main

import "encoding/json"

type node struct {
	edges    *edge
	distance int
	place    int // in the heap; -1 outside
}

type edge struct {
	to     *node
	length int
	next   *edge
}

// route gives the length of the shortest way from the first to the last node of a random graph.
func route(params []byte) (any, error) {
	var in struct {
		Nodes, Edges int
		Seed         uint64
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, err
	}
	nodes := newGraph(in.Nodes, in.Edges, random(in.Seed))
	return shortestWay(nodes[0], nodes[len(nodes)-1]), nil
}

func newGraph(size, edges int, random random) []*node {
	nodes := make([]*node, size)
	for i := range nodes {
		nodes[i] = &node{distance: 1 << 40, place: -1}
	}
	for i := range edges {
		from, to := nodes[i%size], nodes[random.below(size)]
		from.edges = &edge{to: to, length: 1 + random.below(100), next: from.edges}
	}
	return nodes
}

func shortestWay(from, to *node) int {
	from.distance = 0
	var open heap
	open.push(from)
	for len(open) > 0 {
		nearest := open.pop()
		if nearest == to {
			break
		}
		for e := nearest.edges; e != nil; e = e.next {
			if d := nearest.distance + e.length; d < e.to.distance {
				e.to.distance = d
				open.push(e.to)
			}
		}
	}
	return to.distance
}

// heap holds the nodes that are still to be looked at, the nearest first.
type heap []*node

func (h *heap) push(n *node) {
	if n.place < 0 {
		n.place = len(*h)
		*h = append(*h, n)
	}
	h.up(n.place)
}

func (h *heap) pop() *node {
	nodes := *h
	nearest, last := nodes[0], nodes[len(nodes)-1]
	*h = nodes[:len(nodes)-1]
	nearest.place = -1
	if nearest != last {
		(*h)[0] = last
		last.place = 0
		h.down(0)
	}
	return nearest
}

func (h heap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].distance <= h[i].distance {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h heap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if right := child + 1; right < len(h) && h[right].distance < h[child].distance {
			child = right
		}
		if h[i].distance <= h[child].distance {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h heap) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}
