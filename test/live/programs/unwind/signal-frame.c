/*
 * arm64, without a libc. Prints the address of an instruction that a signal interrupts while xN is 1000 + N (for N from 2), the 2048 bytes at the
 * stack pointer of the signal's handler, and the 8 bytes of code that it returns to.
 */
enum { WRITE = 64, EXIT = 93, RT_SIGACTION = 134, SIGNAL_SEGV = 11, WITH_INFO = 4 };

struct action {
  void *handler;
  unsigned long flags;
  void *restorer;
  unsigned long mask;
};

extern char handler[], interrupted[];

static void call(long number, long a, long b, long c, long d) {
  register long x8 asm("x8") = number, x0 asm("x0") = a, x1 asm("x1") = b, x2 asm("x2") = c, x3 asm("x3") = d;
  asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
}

void print_frame(long stack_pointer, long return_address) {
  call(WRITE, 1, stack_pointer, 2048, 0);
  call(WRITE, 1, return_address, 8, 0);
  call(EXIT, 0, 0, 0, 0);
}

asm(".globl handler\n"
    "handler: mov x0, sp\n"
    "mov x1, x30\n"
    "b print_frame\n");

void start(void) {
  struct action action = {handler, WITH_INFO, 0, 0};
  call(RT_SIGACTION, SIGNAL_SEGV, (long)&action, 0, 8);
  unsigned long address = (unsigned long)interrupted;
  call(WRITE, 1, (long)&address, 8, 0);
  asm volatile(".irp n, 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n"
               "mov x\\n, #1000 + \\n\n"
               ".endr\n"
               "mov x1, #0\n"
               ".globl interrupted\n"
               "interrupted: ldr x1, [x1]\n");
}

asm(".globl _start\n"
    "_start: bl start\n");
