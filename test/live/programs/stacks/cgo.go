//go:build cgo

package main

/*
#include <unistd.h>
static void nap(void) { for (;;) pause(); }
extern void callBack(int);
static void through(int n) { callBack(n); }
*/
import "C"

//export callBack
func callBack(n C.int) { between(forever, int(n)) }

func init() {
	scenes["cgocalls"] = func(n int) {
		for i := range make([]int, n) {
			switch i := i; i % 3 {
			case 0:
				go func() { C.nap() }()
			case 1:
				go func() { C.through(C.int(i % 7)) }()
			default:
				go func() { between(forever, i%5) }()
			}
		}
	}
}
