// From a place's name to the place: "As[1][2]", "C[0][5]" (record::place_name, the other way).
#pragma once

#include "problem/result.h"
#include "ptx/model/types.h"
#include "simt/machine/machine.h"

#include <cstdint>
#include <string>

namespace tilestep::insight {

struct Cell {
  std::string name;           // as place_name writes it
  std::uint64_t address = 0;  // generic
  std::uint32_t bytes = 4;
  bool shared = false;
  ptx::TypeId type = ptx::kNoType;            // of an element of shared memory, where it is known
  std::uint32_t launch_buffer = 0xffffffffU;  // or no buffer
};

// Whether a text has the form of a cell's name: a name and indices.
[[nodiscard]] bool looks_like_cell(const std::string& text);

// An element of a launch buffer or of a shared array.
[[nodiscard]] Result<Cell> find_cell(const simt::Program& program, const std::string& text);

}  // namespace tilestep::insight
