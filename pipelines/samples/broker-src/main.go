// Command broker is the program behind the embedded goroutine profile: a message broker with its clients in one process. A client
// subscribes to a topic by a line, and gets what is published there. ../make-stackspace.mjs builds it and stores its profile.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"time"
)

const clients = 300

// broker PROFILE writes the goroutine profile and says on stdout what the runtime held for stacks then.
func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	broker := newBroker()
	go broker.accept(listener)
	for worker := range 8 {
		go broker.archive(worker)
	}
	for client := range clients {
		connection, err := net.Dial("tcp", listener.Addr().String())
		check(err)
		go subscribe(connection, fmt.Sprintf("eu/%d/orders", client%20))
	}
	for message := range 2000 {
		broker.publish(fmt.Sprintf("eu/%d/orders", message%20), strings.Repeat("x", message%300))
	}
	// Collections let stacks shrink to what they need, as they do in a server that has run for a while.
	for range 10 {
		time.Sleep(100 * time.Millisecond)
		runtime.GC()
	}
	debug.SetGCPercent(-1)
	file, err := os.Create(os.Args[1])
	check(err)
	check(pprof.Lookup("goroutine").WriteTo(file, 0))
	check(file.Close())
	stacks := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(stacks)
	fmt.Printf("{\"stacksBytes\": %d, \"threads\": %d}\n", stacks[0].Value.Uint64(), pprof.Lookup("threadcreate").Count())
}

// subscribe is a client: it asks for a topic and reads messages for ever.
func subscribe(connection net.Conn, topic string) {
	_, err := fmt.Fprintln(connection, topic)
	check(err)
	lines := bufio.NewScanner(connection)
	for lines.Scan() {
		if len(lines.Text()) > 400 {
			fmt.Fprintln(os.Stderr, "long message")
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
