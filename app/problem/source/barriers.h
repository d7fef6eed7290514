// Barriers of a CUDA C++ text, switched off and on by comments: no line moves, and whoever reads
// the text sees what was done.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilestep::problem {

enum class BarrierLine {
  None,
  On,   // "__syncthreads();", "__syncwarp(mask);", "tile.sync();"
  Off,  // "// off: __syncthreads();", as toggle_barrier() writes it, or "// missing: …"
};
[[nodiscard]] BarrierLine barrier_of(std::string_view line);

// The text with the barrier of that line (1-based) off where it was on, and on where it was off.
// Nothing where the line has none.
[[nodiscard]] std::optional<std::string> toggle_barrier(std::string_view text, int line);
// The first line with a barrier that is on, at or after `from`; 0: there is none.
[[nodiscard]] int next_barrier_line(std::string_view text, int from);

}  // namespace tilestep::problem
