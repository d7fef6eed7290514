// A place by its name: "As[1][2]", "C[3][4]", "line 29", "step 500", "statement 12".
#pragma once

#include "problem/result.h"
#include "record/recording.h"

#include <cstdint>
#include <string>

namespace tilestep::insight {

struct GoTo {
  enum class Kind : std::uint8_t { Cell, Line, Step };
  Kind kind = Kind::Step;
  std::string cell{};         // as place_name writes it …
  std::uint64_t address = 0;  // … and where it is, generic
  int line = 0;
  std::uint64_t step = 0;
};

// Fails with a sentence: what the text is not, and what there is.
[[nodiscard]] Result<GoTo> parse_go_to(const record::Recording& recording, const std::string& text);

}  // namespace tilestep::insight
