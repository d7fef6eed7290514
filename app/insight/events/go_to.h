// Places by name: "As[1][2]", "C[3][4]", "line 29", "step 500", "statement 12", "phase 4", "block
// 2,1", "thread 3,1".
#pragma once

#include "problem/result.h"
#include "record/recording.h"

#include <cstdint>
#include <string>

namespace tilestep::insight {

struct GoTo {
  enum class Kind : std::uint8_t { Cell, Line, Step, Phase, Block, Thread };
  Kind kind = Kind::Step;
  std::string cell{};         // as place_name writes it …
  std::uint64_t address = 0;  // … and its generic address
  int line = 0;
  std::uint64_t step = 0;    // Phase: its first step
  std::uint32_t block = 0;   // linear
  std::uint32_t thread = 0;  // linear in its block
};

// `block`: the focused one, whose phases are meant. Fails with a sentence: what is wrong with the
// text, and what exists.
[[nodiscard]] Result<GoTo> parse_go_to(const record::Recording& recording, std::uint32_t block,
                                       const std::string& text);

}  // namespace tilestep::insight
