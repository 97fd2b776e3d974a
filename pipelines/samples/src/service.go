package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
)

// A request is one job in JSON, a response its result.
type request struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type response struct {
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

var methods = map[string]func(params []byte) (any, error){
	"similar":  similar,
	"route":    route,
	"multiply": multiply,
	"sort":     sortNumbers,
	"scan":     scan,
}

// serve answers requests in as many goroutines as there are processors until the time is up. Equal requests are answered from
// a cache now and then, as a service would.
func serve(requests [][]byte, duration time.Duration, workers int) (int64, error) {
	var served atomic.Int64
	var failed atomic.Pointer[error]
	cache := newCache(len(requests) / 2)
	queue := make(chan []byte, workers)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for body := range queue {
				if err := answer(cache, body); err != nil {
					failed.Store(&err)
				}
				served.Add(1)
			}
		})
	}
	for i, start := 0, time.Now(); time.Since(start) < duration; i++ {
		queue <- requests[i*7919%len(requests)]
	}
	close(queue)
	group.Wait()
	if err := failed.Load(); err != nil {
		return served.Load(), *err
	}
	return served.Load(), nil
}

func answer(cache *cache, body []byte) error {
	key := hash(body)
	if _, ok := cache.get(key); ok {
		return nil
	}
	var request request
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	method, ok := methods[request.Method]
	if !ok {
		return fmt.Errorf("no method %q", request.Method)
	}
	var reply response
	pprof.Do(context.Background(), pprof.Labels("method", request.Method), func(context.Context) {
		result, err := method(request.Params)
		if err != nil {
			reply.Error = err.Error()
		}
		reply.Result = result
	})
	text, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	cache.put(key, text)
	return nil
}
