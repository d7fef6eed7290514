#include "timing/json_mistake.h"

#include <fmt/format.h>

#include <cstdio>

namespace tilestep::timing {

namespace {

// Removes everything up to the first `end`, if there is one.
bool cut_through(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at != std::string_view::npos) {
    text.remove_prefix(at + end.size());
  }
  return at != std::string_view::npos;
}

}  // namespace

Error json_mistake(const std::string& file, std::string_view what) {
  if (what.starts_with("[json.exception.")) {
    cut_through(what, "] ");
  }
  std::string place = file;
  int line = 0;
  int column = 0;
  if (std::sscanf(std::string(what.substr(0, 80)).c_str(),
                  "parse error at line %d, column %d:", &line, &column) == 2) {
    place = fmt::format("{}:{}:{}", file, line, column);
    cut_through(what, ": ");
    if (what.starts_with("syntax error while parsing")) {
      cut_through(what, " - ");
    }
  }
  return {fmt::format("{}: not JSON: {}. Mend the file, or write it again.", place, what)};
}

}  // namespace tilestep::timing
