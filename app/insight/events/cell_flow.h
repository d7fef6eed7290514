// Where a cell's value came from and where it went, for the stage: what `origin` and `uses` tell,
// as places and one sentence. From executed instructions; pure.
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
  std::uint64_t step = 0;   // of a cell of shared memory, which holds one value after another …
  std::uint32_t block = 0;  // … in this block

  friend bool operator==(const FlowQuestion&, const FlowQuestion&) = default;
};

struct CellFlow {
  std::string cell;
  // Generic addresses. Of the elements of buffers that it was computed from …
  std::vector<std::uint64_t> sources;
  // … and of the cells that it was copied to (of the question's block) or is a part of.
  std::vector<std::uint64_t> uses;
  std::vector<std::uint32_t> readers;  // threads of the question's block that use its value
  std::string sentence;
  std::uint64_t loads = 0;  // from global memory, of an input's element
};

// Fails with a sentence where there is no such cell, or its value is not followed.
// `elsewhere_loads`: how often another kernel, `elsewhere`, loads the element.
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
