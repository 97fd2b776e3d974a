/* Threads with names, a fork, an exec of itself, calls back from libc, page faults: what a recording has to follow. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void leaf(long rounds) {
  for (long i = 0; i < rounds; i++) sink += i * 3;
}

__attribute__((noinline)) static void middle(long rounds) {
  leaf(rounds);
  sink++;
}

__attribute__((noinline)) static void outer(long rounds) {
  middle(rounds);
  sink++;
}

static int compare(const void *a, const void *b) {
  leaf(20);
  return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void sort(void) {
  int values[2000];
  for (int i = 0; i < 2000; i++) values[i] = (i * 7919) % 2003;
  qsort(values, 2000, sizeof *values, compare);
  sink++;
}

__attribute__((noinline)) static void touch_pages(void) {
  size_t size = 4 << 20;
  char *pages = malloc(size);
  memset(pages, 1, size);
  sink += pages[4097];
  free(pages);
}

static void *work(void *name) {
  pthread_setname_np(pthread_self(), name);
  for (int i = 0; i < 20; i++) outer(1000000);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc > 1) {
    for (int i = 0; i < 60; i++) sort();
    return 0;
  }
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, work, "first worker");
  pthread_create(&threads[1], NULL, work, "second worker");
  for (int i = 0; i < 20; i++) touch_pages();
  pid_t child = fork();
  if (child == 0) {
    outer(20000000);
    execl("/proc/self/exe", argv[0], "again", (char *)NULL);
    _exit(1);
  }
  waitpid(child, NULL, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
