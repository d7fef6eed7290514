// The sources and the uses of a cell's value, for the stage: the results of `origin` and `uses`, as
// places and one sentence. Read from executed instructions; pure.
#pragma once

#include "problem/result.h"
#include "record/recording.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::insight {

struct FlowQuestion {
  std::string cell;         // "A[1][6]", "As[1][2]", "C[3][4]"
  std::uint64_t step = 0;   // for shared memory: which of the cell's successive values …
  std::uint32_t block = 0;  // … in this block

  friend bool operator==(const FlowQuestion&, const FlowQuestion&) = default;
};

struct CellFlow {
  std::string cell;
  // Generic addresses. Elements of buffers that the value was computed from …
  std::vector<std::uint64_t> sources;
  // … and cells that hold a copy of it (in the question's block) or were computed from it.
  std::vector<std::uint64_t> uses;
  std::vector<std::uint32_t> readers;  // threads of the question's block that use its value
  std::string sentence;
  std::uint64_t loads = 0;  // of an input's element, from global memory
};

// Fails with a sentence if there is no such cell, or its value is not followed. `elsewhere_loads`:
// how often another kernel, `elsewhere`, loads the element.
[[nodiscard]] Result<CellFlow> cell_flow(const record::Recording& recording,
                                         const FlowQuestion& question,
                                         std::optional<std::uint64_t> elsewhere_loads = {},
                                         const std::string& elsewhere = {});

// How many threads load an element from global memory in a whole launch.
[[nodiscard]] std::optional<std::uint64_t> count_loads(
    const std::shared_ptr<const simt::Program>& program, const std::string& cell);

// "C[1][0..7]", "C[0..3][4..7]", "C[1][0], C[3][2]", "C[0][0], … and 9 more".
[[nodiscard]] std::string cells_text(const std::vector<std::string>& cells);

}  // namespace tilestep::insight
