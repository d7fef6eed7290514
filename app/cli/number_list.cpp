#include "cli/number_list.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace tilestep::cli {

namespace {

constexpr int kMostNumbers = 10000;

std::optional<int> to_number(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || value < 1) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(at + separator.size());
  }
}

Error bad(const std::string& option, const std::string& text, std::string_view part,
          const char* example) {
  return {tr("{} {}: '{}' is not valid. Write for example {}.", option, text, part, example)};
}

}  // namespace

Result<std::vector<int>> parse_number_list(const std::string& text, const std::string& option) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, ",")) {
    const auto ends = split(part, "..");
    const auto first = to_number(ends.front());
    const auto last = to_number(ends.back());
    if (ends.size() > 2 || !first || !last || *last < *first || *last - *first >= kMostNumbers) {
      return tl::unexpected(bad(option, text, part, "1..8,16,32"));
    }
    for (int number = *first; number <= *last; ++number) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

Result<std::vector<problem::Problem>> parse_problem_list(const std::string& text,
                                                         const std::string& option) {
  std::vector<problem::Problem> problems;
  for (const std::string_view part : split(text, ",")) {
    const auto sizes = split(part, "x");
    const auto M = to_number(sizes[0]);
    const auto N = sizes.size() == 3 ? to_number(sizes[1]) : M;
    const auto K = sizes.size() == 3 ? to_number(sizes[2]) : M;
    if ((sizes.size() != 1 && sizes.size() != 3) || !M || !N || !K) {
      return tl::unexpected(bad(option, text, part, "512,1024,100x200x50"));
    }
    problems.push_back({*M, *N, *K});
  }
  return problems;
}

}  // namespace tilestep::cli
