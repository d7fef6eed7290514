#include "problem/source/barriers.h"

#include <algorithm>
#include <cstddef>
#include <re2/re2.h>

namespace tilestep::problem {
namespace {

// "__syncthreads()", "__syncwarp(mask)", "tile.sync()"; its text is one group.
constexpr const char* kCall = R"(((?:__syncthreads|__syncwarp|[A-Za-z_]\w*\.sync)\s*\([^()]*\)))";

struct Parts {
  std::string before;
  std::string call;
  std::string after;
};

// Code that calls a barrier: nothing before it is a comment.
std::optional<Parts> on_parts(std::string_view line) {
  static const RE2 pattern(std::string(R"(^((?:[^/]|/[^/*])*?))") + kCall + R"(\s*;(.*)$)");
  Parts parts;
  return RE2::FullMatch(line, pattern, &parts.before, &parts.call, &parts.after)
             ? std::optional(parts)
             : std::nullopt;
}

std::optional<Parts> off_parts(std::string_view line) {
  static const RE2 pattern(std::string(R"(^(.*?)//\s*(?:off|missing):\s*)") + kCall + "(.*)$");
  Parts parts;
  return RE2::FullMatch(line, pattern, &parts.before, &parts.call, &parts.after)
             ? std::optional(parts)
             : std::nullopt;
}

std::string toggled(const std::string& line) {
  if (const auto on = on_parts(line)) {
    return on->before + "// off: " + on->call + ";" + on->after;
  }
  Parts off = *off_parts(line);
  // What explained why it is missing stays, as a comment of its own.
  const std::size_t words = off.after.find_first_not_of(" \t;,.");
  const bool is_comment = words != std::string::npos && off.after.compare(words, 2, "//") == 0;
  const std::string rest = words == std::string::npos ? ""
                           : is_comment               ? "  " + off.after.substr(words)
                                                      : "  // " + off.after.substr(words);
  return off.before + off.call + ";" + rest;
}

// [from, to) of a line without its end; nothing: there is no such line.
struct LineRange {
  std::size_t from = 0;
  std::size_t to = 0;
};
std::optional<LineRange> line_range(std::string_view text, int line) {
  std::size_t from = 0;
  for (int i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n', from);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    from = end + 1;
  }
  return line < 1 ? std::nullopt
                  : std::optional(LineRange{from, std::min(text.find('\n', from), text.size())});
}

}  // namespace

BarrierLine barrier_of(std::string_view line) {
  if (line.find("sync") == std::string_view::npos) {
    return BarrierLine::None;  // asked of every line on screen
  }
  return on_parts(line) ? BarrierLine::On : off_parts(line) ? BarrierLine::Off : BarrierLine::None;
}

std::optional<std::string> toggle_barrier(std::string_view text, int line) {
  const auto range = line_range(text, line);
  if (!range) {
    return std::nullopt;
  }
  const std::string old(text.substr(range->from, range->to - range->from));
  if (barrier_of(old) == BarrierLine::None) {
    return std::nullopt;
  }
  return std::string(text.substr(0, range->from)) + toggled(old) +
         std::string(text.substr(range->to));
}

int next_barrier_line(std::string_view text, int from) {
  for (int line = std::max(from, 1);; ++line) {
    const auto range = line_range(text, line);
    if (!range) {
      return 0;
    }
    if (barrier_of(text.substr(range->from, range->to - range->from)) == BarrierLine::On) {
      return line;
    }
  }
}

}  // namespace tilestep::problem
