package main

import (
	"io"
	"net"
	"net/http"
)

func init() {
	scenes["httpidle"] = func(n int) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		check(err)
		go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }))
		for range make([]int, n) {
			client := http.Client{Transport: &http.Transport{}}
			response, err := client.Get("http://" + listener.Addr().String())
			check(err)
			_, err = io.Copy(io.Discard, response.Body)
			check(err)
			check(response.Body.Close())
		}
	}
}
