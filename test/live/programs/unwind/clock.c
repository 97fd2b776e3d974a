/* Reads the clock, whose code the kernel maps into the process: [vdso]. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static __attribute__((noinline)) long reading(long times) {
  long sum = 0;
  for (long i = 0; i < times; i++) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    sum += now.tv_nsec;
  }
  return sum;
}

int main(int argc, char **argv) {
  printf("%ld\n", reading(argc > 1 ? atol(argv[1]) : 1000) | 1);
  return 0;
}
