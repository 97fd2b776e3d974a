package main

import (
	"bufio"
	"hash/crc32"
	"net"
	"strings"
	"sync"
	"time"
)

type message struct {
	topic, text string
}

// node is a level of the tree of topics: "eu/7/orders" has three.
type node struct {
	children    map[string]*node
	subscribers []chan message
}

type broker struct {
	lock   sync.Mutex
	root   node
	stored chan message
}

func newBroker() *broker {
	return &broker{stored: make(chan message, 64)}
}

func (b *broker) accept(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go b.serve(connection)
	}
}

// serve has a goroutine more for what it sends.
func (b *broker) serve(connection net.Conn) {
	defer connection.Close()
	requests := bufio.NewReader(connection)
	topic, err := requests.ReadString('\n')
	if err != nil {
		return
	}
	queue := make(chan message, 8)
	b.lock.Lock()
	b.root.at(strings.Split(strings.TrimSpace(topic), "/")).subscribe(queue)
	b.lock.Unlock()
	go send(connection, queue)
	for err == nil {
		_, err = requests.ReadString('\n')
	}
}

func (n *node) at(path []string) *node {
	if len(path) == 0 {
		return n
	}
	child := n.children[path[0]]
	if child == nil {
		child = &node{}
		if n.children == nil {
			n.children = map[string]*node{}
		}
		n.children[path[0]] = child
	}
	return child.at(path[1:])
}

func (n *node) subscribe(queue chan message) { n.subscribers = append(n.subscribers, queue) }

// send writes messages in batches, and tells idle clients that it is there.
func send(connection net.Conn, queue chan message) {
	var batch [4096]byte
	idle := time.NewTicker(time.Minute)
	for {
		used := 0
		select {
		case next := <-queue:
			used += copy(batch[used:], next.text)
			used += copy(batch[used:], "\n")
		case <-idle.C:
			used += copy(batch[used:], "ping\n")
		}
		if _, err := connection.Write(batch[:used]); err != nil {
			return
		}
	}
}

func (b *broker) publish(topic, text string) {
	b.lock.Lock()
	subscribers := b.root.at(strings.Split(topic, "/")).subscribers
	b.lock.Unlock()
	for _, queue := range subscribers {
		select {
		case queue <- message{topic, text}:
		default:
		}
	}
	b.stored <- message{topic, text}
}

// archive gathers blocks of messages, and signs each.
func (b *broker) archive(worker int) {
	var block [16 << 10]byte
	used := worker
	for next := range b.stored {
		if used+len(next.text) > len(block) {
			block[0] = byte(crc32.ChecksumIEEE(block[1:used]))
			used = 1
		}
		used += copy(block[used:], next.text)
	}
}
