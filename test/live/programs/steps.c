// Statics that compilers inline, split and copy: `.isra`, `.constprop`, `.part` and `.cold` in what gcc writes.
#include <stdio.h>
#include <stdlib.h>

struct walk {
  unsigned long at, steps, highest;
  const char *name;
};

static inline unsigned long halve(unsigned long n) { return n / 2; }

static inline unsigned long next(unsigned long n) { return n % 2 ? 3 * n + 1 : halve(n); }

static __attribute__((noinline)) void report(const struct walk *walk, int level) {
  if (level > 2) {
    fprintf(stderr, "%s: %lu after %lu\n", walk->name, walk->at, walk->steps);
    abort();
  }
  if (walk->highest > 1000000) printf("%s: up to %lu\n", walk->name, walk->highest);
}

static __attribute__((noinline)) unsigned long steps_of(struct walk *walk, unsigned long start, unsigned long limit) {
  walk->steps = walk->highest = 0;
  for (walk->at = start; walk->at != 1; walk->at = next(walk->at)) {
    if (walk->at > walk->highest) walk->highest = walk->at;
    if (++walk->steps > limit) report(walk, 3);
  }
  report(walk, 1);
  return walk->steps;
}

static unsigned long sum(unsigned long limit, unsigned long (*step)(struct walk *, unsigned long, unsigned long)) {
  struct walk walk = {.name = "collatz"};
  unsigned long total = 0;
  for (unsigned long start = 1; start < limit; start++) total += step(&walk, start, 100000);
  return total;
}

unsigned long steps_of_all(unsigned long limit) { return sum(limit, steps_of); }
