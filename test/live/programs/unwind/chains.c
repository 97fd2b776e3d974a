// Call chains that are known by their names: a function is called by the one whose name is before its last "_".
// Usage: chains ROUNDS. Built without frame pointers.
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
static volatile unsigned long sink;

static NOINLINE unsigned long burn(unsigned long n) {
  unsigned long x = n;
  for (unsigned long i = 0; i < n; i++) x = x * 2862933555777941757UL + 3037000493UL;
  return x;
}

// Callbacks through libc: qsort is mergesort or quicksort by the version, bsearch is often inlined.
static NOINLINE int sort_compare(const void *a, const void *b) {
  unsigned long x = burn(20) & 1;
  sink += x;
  return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}
static NOINLINE void sort(int n) {
  int *numbers = malloc(sizeof(int) * n);
  for (int i = 0; i < n; i++) numbers[i] = (i * 7919) % n;
  qsort(numbers, n, sizeof(int), sort_compare);
  int key = 17;
  sink += bsearch(&key, numbers, n, sizeof(int), sort_compare) != 0;
  free(numbers);
}

// Frames whose size the compiler does not know, and realigned ones.
static NOINLINE void dynamic_leaf(char *bytes, int n) {
  memset(bytes, n, n);
  for (int i = 0; i < n; i++) sink += bytes[i];
}
static NOINLINE void dynamic(int n) {
  char *bytes = alloca(n);
  dynamic_leaf(bytes, n);
  sink += bytes[n / 2];
}
static NOINLINE void aligned(int n) {
  double values[8] __attribute__((aligned(64)));
  for (int i = 0; i < 8; i++) values[i] = n + i;
  dynamic(n);
  sink += (unsigned long)values[n & 7];
}

// A deep chain with frames of 8 KiB: with a small copy it does not fit.
static NOINLINE unsigned long deep(int depth, int n) {
  volatile char room[8192];
  room[depth] = 1;
  unsigned long sum = depth == 0 ? burn(n) : deep(depth - 1, n);
  return sum + room[depth];
}

// A signal in the middle of a function, and one on the first instruction of one.
static NOINLINE void handler_work(void) { sink += burn(30000); }
static void handler(int number) {
  (void)number;
  handler_work();
  sink++;
}
static NOINLINE void interrupted(void) {
  raise(SIGUSR1);
  sink += burn(1000);
}
// Traps on its first instruction; the handler steps over it.
extern void trap_entry(void);
__asm__(".text\n.globl trap_entry\n.type trap_entry,@function\ntrap_entry:\n.cfi_startproc\nud2\nret\n.cfi_endproc\n.size trap_entry,.-trap_entry");
static void trap_handler(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)info;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
  handler_work();
  sink++;
}
static NOINLINE void trapped(void) {
  trap_entry();
  sink++;
}
// The handler runs on a stack of its own.
static NOINLINE void alternate(void) {
  raise(SIGUSR2);
  sink++;
}

static NOINLINE void all(int n) {
  sort(2000 * n);
  sink += deep(3, 200000 * n);
  for (int i = 0; i < 4 * n; i++) {
    aligned(6000);
    interrupted();
    trapped();
    alternate();
  }
}

static void *thread_main(void *argument) {
  all((int)(long)argument);
  sink++;
  return 0;
}

static char alternate_stack[65536];

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 1;
  const char *mode = count > 2 ? arguments[2] : "";
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, 0);
  stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};
  sigaltstack(&stack, 0);
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR2, &action, 0);
  struct sigaction trap = {.sa_sigaction = trap_handler, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &trap, 0);
  for (int i = 0; i < rounds; i++) all(1);
  if (*mode == 0) return 0;
  // Threads.
  pthread_t threads[3];
  stack.ss_flags = SS_DISABLE;
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, thread_main, (void *)1L);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  // A library that is loaded late, and again elsewhere.
  void (*plugin)(int) = 0;
  void *library = dlopen(mode, RTLD_NOW);
  if (library != 0) plugin = (void (*)(int))dlsym(library, "plugin");
  if (plugin != 0) plugin(rounds);
  if (library != 0) dlclose(library);
  // The same file at another base.
  pid_t child = fork();
  if (child == 0) {
    all(1);
    execl("/proc/self/exe", arguments[0], arguments[1], (char *)0);
    _exit(1);
  }
  int status;
  waitpid(child, &status, 0);
  return status;
}
