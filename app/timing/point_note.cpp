#include "timing/point_note.h"

#include "problem/tr.h"
#include "problem/words.h"

#include <re2/re2.h>

namespace tilestep::timing {
namespace {

// As the verifier writes them; they are translated as a whole.
[[maybe_unused]] constexpr Message kWhole[] = {
    Message("not verified: the description names no reference"),
    Message("not verified: too large for the host's reference, and the inputs are not integers")};

std::string told_mistake(const std::string& mistake) {
  static const RE2 row(R"(row (\d+) of C is not that of A·B)");
  static const RE2 element(
      R"(C\[(\d+)\]\[(\d+)\] is (\S+), expected (\S+) \((\d+) of (\d+) elements wrong\))");
  std::string a, b, c, d, e, f;
  if (RE2::FullMatch(mistake, row, &a)) {
    return tr("row {} of C is not that of A·B", a);
  }
  return RE2::FullMatch(mistake, element, &a, &b, &c, &d, &e, &f)
             ? tr("C[{}][{}] is {}, expected {} ({} of {} elements wrong)", a, b, c, d, e, f)
             : mistake;
}

std::string told_part(const std::string& part) {
  static const RE2 few(R"(one launch takes (\S+) (ms|s): (\d+) samples)");
  static const RE2 wrong("result wrong: (.*)");
  static const RE2 late("result right at first, wrong in the last timed launch: (.*)");
  static const RE2 refused(R"(([A-Za-z0-9_]+): (.*))");
  std::string a, b, c;
  if (RE2::FullMatch(part, few, &a, &b, &c)) {
    return tr("one launch takes {} {}: {} samples", a, b, c);
  }
  if (RE2::FullMatch(part, wrong, &a)) {
    return tr("result wrong: {}", told_mistake(a));
  }
  if (RE2::FullMatch(part, late, &a)) {
    return tr("result right at first, wrong in the last timed launch: {}", told_mistake(a));
  }
  if (RE2::FullMatch(part, refused, &a, &b)) {
    return a + ": " + tr(b.c_str());
  }
  return tr(part.c_str());
}

}  // namespace

std::string told_note(const std::string& note) {
  // A requirement may have a semicolon of its own.
  for (const char* const next : {"; one launch takes ", "; result "}) {
    if (const std::size_t at = note.rfind(next); at != std::string::npos) {
      return told_note(note.substr(0, at)) + "; " + told_note(note.substr(at + 2));
    }
  }
  return told_part(note);
}

}  // namespace tilestep::timing
