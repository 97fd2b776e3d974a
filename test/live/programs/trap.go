package main

/*
// A real bit test that looks like Go's nil check.
int trap(char *p) {
	int result;
	__asm__ volatile("movb $1, %%al\n\ttestb %%al, (%1)\n\tsetne %%al\n\tmovzbl %%al, %0" : "=r"(result) : "r"(p) : "rax", "cc");
	return result;
}
*/
import "C"

func init() {
	var c C.char = 3
	println(C.trap(&c))
}
