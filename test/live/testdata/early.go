package main

import (
	"fmt"
	"strings"
)

// Enough of the standard library for a thousand functions, in any Go since 1.2, and little enough to be built from its sources.
func main() {
	fmt.Println(strings.Fields("a program of many versions"))
}
