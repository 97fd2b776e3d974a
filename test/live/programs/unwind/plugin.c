// A library that chains.c loads while it runs.
#define NOINLINE __attribute__((noinline, noclone))
static volatile unsigned long sink;
static NOINLINE void plugin_work(int n) {
  for (int i = 0; i < n; i++) sink += i * 2654435761UL;
}
void plugin(int rounds) {
  for (int i = 0; i < rounds; i++) {
    plugin_work(2000000);
    sink++;
  }
}
