// Templates, lambdas, virtual calls and exceptions out of the standard library: code of many kinds from few lines.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" unsigned long steps_of_all(unsigned long limit);

namespace shapes {
struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square final : Shape {
  explicit Square(double side) : side(side) {}
  double area() const override { return side * side; }
  double side;
};
struct Circle final : Shape {
  explicit Circle(double radius) : radius(radius) {}
  double area() const override { return 3.14 * radius * radius; }
  double radius;
};
}  // namespace shapes

template <typename Value>
static Value median(std::vector<Value> values) {
  if (values.empty()) throw std::invalid_argument("no values");
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

namespace {
std::map<std::string, int> countWords(const std::string& text) {
  std::map<std::string, int> counts;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find(' ', start), text.size());
    ++counts[text.substr(start, end - start)];
    start = end + 1;
  }
  return counts;
}
}  // namespace

int main(int argc, char** argv) {
  std::vector<std::unique_ptr<shapes::Shape>> all;
  for (int i = 0; i < argc + 10; i++) {
    if (i % 2) all.emplace_back(new shapes::Square(i));
    else all.emplace_back(new shapes::Circle(i));
  }
  std::vector<double> areas;
  std::transform(all.begin(), all.end(), std::back_inserter(areas), [](const auto& shape) { return shape->area(); });
  std::stable_sort(areas.begin(), areas.end(), std::greater<double>());
  std::unordered_map<std::string, std::function<double(double)>> functions{
      {"twice", [](double x) { return 2 * x; }}, {"steps", [](double x) { return steps_of_all(x); }}};
  std::string out;
  for (auto& entry : functions) out += entry.first + std::to_string(entry.second(std::accumulate(areas.begin(), areas.end(), 0.0)));
  for (auto& entry : countWords(argc > 1 ? argv[1] : "a few words, a few more")) out += entry.first + std::to_string(entry.second);
  try {
    out += std::to_string(median(areas) + median(std::vector<int>{2, 1}));
    out += median(std::vector<std::string>());
  } catch (const std::exception& error) {
    out += error.what();
  }
  std::puts(out.c_str());
}
