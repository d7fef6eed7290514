// Where a text is found in a text. Pure.
#pragma once

#include <string>
#include <vector>

namespace tilestep::ui {

struct FindRequest {
  std::string wanted;
  bool match_case = false;
  bool whole_word = false;

  friend bool operator==(const FindRequest&, const FindRequest&) = default;
};

// Within a line.
struct FoundText {
  int line = 0;  // 1-based
  int from = 0;  // characters before it (code points, not bytes)
  int to = 0;    // behind its last

  friend bool operator==(const FoundText&, const FoundText&) = default;
};

// From top to bottom, without overlaps. Letters beyond ASCII differ by case.
[[nodiscard]] std::vector<FoundText> find_all(const std::string& text, const FindRequest& request);

// The first at or behind a place (`step` +1), or the last before it (−1), around the ends of the
// text; −1 where there are none.
[[nodiscard]] int nearest(const std::vector<FoundText>& all, int line, int character, int step);

}  // namespace tilestep::ui
