/*
 * Makes machine code while it runs, and lists it in a jitdump with records of every kind: functions whose callers only their own call
 * frame information tells (rbp holds something else), with source lines; one of them is moved, and another comes to its place. x86-64.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef long (*made)(long);

static FILE *dump;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void put(const void *bytes, size_t size) { fwrite(bytes, 1, size, dump); }
static void put32(uint32_t value) { put(&value, 4); }
static void put64(uint64_t value) { put(&value, 8); }

static void head(uint32_t type, uint32_t size) {
  put32(type);
  put32(16 + size);
  put64(now());
}

static void open_dump(void) {
  char name[64];
  snprintf(name, sizeof name, "jit-%d.dump", getpid());
  int file = open(name, O_CREAT | O_TRUNC | O_RDWR, 0644);
  dump = fdopen(file, "w+");
  put("DTiJ", 4);
  put32(1);
  put32(40);
  put32(62);
  put32(0);
  put32(getpid());
  put64(now());
  put64(0);
  fflush(dump);
  /* What perf inject knows the dump by. */
  mmap(NULL, getpagesize(), PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
}

/* push rbp; mov ebp, 1; sub rsp, 0x48; then the work; add rsp, 0x48; pop rbp; ret */
static const uint8_t enter[] = {0x55, 0xbd, 1, 0, 0, 0, 0x48, 0x83, 0xec, 0x48};
static const uint8_t leave[] = {0x48, 0x83, 0xc4, 0x48, 0x5d, 0xc3};
/* mov rax, rdi; again: dec rax; jne again */
static const uint8_t count[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb};
/* mov rax, TARGET; call rax */
static const uint8_t call[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0};

static void unwinding(size_t size) {
  uint32_t room = (size + 7) / 8 * 8;
  /* A CIE; an FDE of the code before it: its start is told 32 bytes into this. */
  uint8_t frame[68] = {
      20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
      36, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0x41, 0x0e, 16, 0x86, 2,          /* behind push rbp */
      0x49, 0x0e, 0xd8, 0,              /* behind sub rsp */
      0x02, 0, 0x0e, 16, 0x41, 0x0e, 8, /* behind add rsp, with its place from there; behind pop rbp */
  };
  int32_t start = -(int32_t)room - 32;
  memcpy(frame + 32, &start, 4);
  uint32_t bytes = size;
  memcpy(frame + 36, &bytes, 4);
  frame[51] = size - sizeof leave + 4 - 10;
  uint8_t header[20] = {1, 0x1b, 3, 0x3b};
  int32_t back = -(int32_t)sizeof frame - 4;
  memcpy(header + 4, &back, 4);
  header[8] = 1;
  int32_t code = -(int32_t)room - (int32_t)sizeof frame, entry = 24 - (int32_t)sizeof frame;
  memcpy(header + 12, &code, 4);
  memcpy(header + 16, &entry, 4);
  head(4, 24 + sizeof frame + sizeof header);
  put64(sizeof frame + sizeof header);
  put64(sizeof header);
  put64(sizeof frame + sizeof header);
  put(frame, sizeof frame);
  put(header, sizeof header);
}

static void lines(uint64_t code, size_t size, const char *file, int line) {
  uint32_t name = strlen(file) + 1;
  head(2, 16 + 3 * (16 + name));
  put64(code);
  put64(3);
  put64(code);
  put32(line);
  put32(0);
  put(file, name);
  put64(code + sizeof enter);
  put32(line + 1);
  put32(0);
  put(file, name);
  put64(code + size - sizeof leave);
  put32(line + 2);
  put32(0);
  put(file, name);
}

static uint64_t numbers;

static size_t make(uint8_t *at, const char *name, int line, const uint8_t *work, size_t bytes, made target) {
  size_t size = sizeof enter + bytes + sizeof leave;
  memcpy(at, enter, sizeof enter);
  memcpy(at + sizeof enter, work, bytes);
  if (target) memcpy(at + sizeof enter + 2, &target, 8);
  memcpy(at + sizeof enter + bytes, leave, sizeof leave);
  lines((uint64_t)at, size, "/src/made.lang", line);
  unwinding(size);
  head(0, 40 + strlen(name) + 1 + size);
  put32(getpid());
  put32(getpid());
  put64((uint64_t)at);
  put64((uint64_t)at);
  put64(size);
  put64(numbers++);
  put(name, strlen(name) + 1);
  put(at, size);
  fflush(dump);
  return size;
}

static void move(uint8_t *from, uint8_t *to, size_t size, uint64_t number) {
  memcpy(to, from, size);
  head(1, 48);
  put32(getpid());
  put32(getpid());
  put64((uint64_t)to);
  put64((uint64_t)from);
  put64((uint64_t)to);
  put64(size);
  put64(number);
  fflush(dump);
}

__attribute__((noinline)) long run(made function, long rounds) {
  long sum = 0;
  for (long round = 0; round < rounds; round++) sum += function(1000000);
  return sum;
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 300;
  open_dump();
  uint8_t *room = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  size_t size = make(room, "made_leaf", 10, count, sizeof count, NULL);
  make(room + 4096, "made_caller", 20, call, sizeof call, (made)room);
  long sum = run((made)(room + 4096), rounds);
  move(room, room + 8192, size, 0);
  make(room, "made_later", 30, count, sizeof count, NULL);
  sum += run((made)(room + 8192), rounds);
  sum += run((made)room, rounds);
  head(3, 0);
  fclose(dump);
  printf("%ld\n", sum);
  return 0;
}
