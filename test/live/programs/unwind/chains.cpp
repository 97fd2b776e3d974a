// Inlined calls, virtual calls, templates of the standard library, and exceptions that pass frames. Usage: chains ROUNDS
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline, noclone))
static volatile unsigned long sink;

static inline unsigned long mixed(unsigned long x) { return (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9UL; }

struct Shape {
  virtual ~Shape() = default;
  virtual unsigned long area(unsigned long n) const = 0;
};
struct Square final : Shape {
  NOINLINE unsigned long area(unsigned long n) const override {
    unsigned long x = n;
    for (unsigned long i = 0; i < n; i++) x = mixed(x + i);
    return x;
  }
};

static NOINLINE void throw_inner(int n) {
  std::string text(n, 'x');
  if (text.size() > 3) throw std::runtime_error(text);
  sink += text.size();
}
static NOINLINE void throw_middle(int n) {
  std::vector<std::string> held(3, std::string(40, 'y'));
  throw_inner(n);
  sink += held.size();
}
static NOINLINE void throwing(int n) {
  for (int i = 0; i < n; i++) {
    try {
      throw_middle(64);
    } catch (const std::exception &error) {
      sink += error.what()[0];
    }
  }
}

static NOINLINE void sorting(int n) {
  std::vector<std::string> words;
  for (int i = 0; i < n; i++) words.push_back(std::to_string(mixed(i)));
  std::sort(words.begin(), words.end(), [](const std::string &a, const std::string &b) { return b < a; });
  std::map<std::string, int> index;
  for (const auto &word : words) index[word]++;
  sink += index.size();
}

static NOINLINE void calling(int n, const std::function<void(int)> &call) {
  for (int i = 0; i < n; i++) call(i);
  sink++;
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? std::atoi(arguments[1]) : 1;
  std::unique_ptr<Shape> shape = std::make_unique<Square>();
  for (int i = 0; i < rounds; i++) {
    throwing(500);
    sorting(4000);
    calling(10, [&](int number) { sink += shape->area(100000 + number); });
  }
}
