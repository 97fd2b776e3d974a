package main

import "sync"

// cache keeps the last answers, by the hash of the request: a hash table with chains, and a ring in order of use.
type cache struct {
	mutex   sync.Mutex
	buckets [256]*entry
	ring    entry // ring.newer is the oldest entry, ring.older the newest
	size    int
	limit   int
}

type entry struct {
	key          uint64
	text         []byte
	chain        *entry
	newer, older *entry
}

func newCache(limit int) *cache {
	c := &cache{limit: limit}
	c.ring.newer, c.ring.older = &c.ring, &c.ring
	return c
}

func (c *cache) get(key uint64) ([]byte, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for e := c.buckets[key%uint64(len(c.buckets))]; e != nil; e = e.chain {
		if e.key == key {
			c.unlink(e)
			c.link(e)
			return e.text, true
		}
	}
	return nil, false
}

func (c *cache) put(key uint64, text []byte) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.size == c.limit {
		c.drop(c.ring.newer)
	}
	bucket := &c.buckets[key%uint64(len(c.buckets))]
	e := &entry{key: key, text: text, chain: *bucket}
	*bucket = e
	c.link(e)
	c.size++
}

func (c *cache) drop(e *entry) {
	c.unlink(e)
	place := &c.buckets[e.key%uint64(len(c.buckets))]
	for *place != e {
		place = &(*place).chain
	}
	*place = e.chain
	c.size--
}

func (c *cache) link(e *entry) {
	e.older, e.newer = c.ring.older, &c.ring
	e.older.newer, c.ring.older = e, e
}

func (c *cache) unlink(e *entry) {
	e.older.newer, e.newer.older = e.newer, e.older
}

// hash is FNV-1a.
func hash(text []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range text {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
