#include "timing/json_mistake.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <re2/re2.h>

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
  static const re2::RE2 kPlace("parse error at line ([0-9]{1,9}), column ([0-9]{1,9}):");
  int line = 0;
  int column = 0;
  if (re2::RE2::PartialMatch(re2::StringPiece(what.data(), std::min<std::size_t>(what.size(), 80)),
                             kPlace, &line, &column)) {
    place = fmt::format("{}:{}:{}", file, line, column);
    cut_through(what, ": ");
    if (what.starts_with("syntax error while parsing")) {
      cut_through(what, " - ");
    }
  }
  return {tr("{}: not JSON: {}. Mend the file, or write it again.", place, what)};
}

}  // namespace tilestep::timing
