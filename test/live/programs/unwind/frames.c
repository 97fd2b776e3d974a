/* Frames of all kinds, without a header or a library: for compilers of other machines. */
int called(int);

static int leaf(const int *value) { return *value + 1; }

__attribute__((noinline)) int sized_at_run_time(int size) {
  char bytes[size];
  int sum = 0;
  for (int i = 0; i < size; i++) {
    bytes[i] = called(i);
    sum += bytes[i];
  }
  return sum + leaf(&size);
}

__attribute__((noinline)) int larger_than_a_page(int at) {
  volatile char bytes[100000];
  bytes[at] = called(at);
  return bytes[at] + sized_at_run_time(at);
}

int called(int depth) { return depth ? larger_than_a_page(depth - 1) : sized_at_run_time(3); }
