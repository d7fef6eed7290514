// Names of places in memory: "As[1][2]", "A[8][0]", "s[3].x", "As+12".
//
// Buffers have rows and columns (the shape in their launch description), variables have the type
// from DWARF or the probe. The name of a place beyond the end of either continues the outermost
// index, so that "A[8][0]" shows how far outside it is. Dynamic shared memory has the names of the
// arrays that the kernel defines in it (Program::arrays). A buffer of one row is a vector: "x[5]".
#pragma once

#include "simt/machine/machine.h"

#include <cstdint>
#include <string>

namespace tilestep::record {

// Row and column of a byte offset in a buffer; both may be outside its shape.
struct BufferElement {
  std::int64_t row = 0;
  std::int64_t col = 0;
  std::int64_t byte_in_element = 0;
};
[[nodiscard]] BufferElement buffer_element(const problem::Buffer& buffer, std::int64_t offset);

// `access_bytes`: the size of the access; a whole row or struct is then not reduced to its first
// member. 0: the innermost element.
[[nodiscard]] std::string place_name(const simt::Program& program, const simt::Place& place,
                                     std::uint32_t access_bytes = 0);

// The declared variable that contains a place of the allocation: "As"; for the piece "ends[1]"
// "ends".
[[nodiscard]] const std::string& variable_name(const simt::Program& program,
                                               std::uint32_t allocation);

// "[1][2].x" for an offset in a value of a type; "" at its start if it is not an array or struct.
[[nodiscard]] std::string element_suffix(const ptx::Module& module, ptx::TypeId type,
                                         std::int64_t offset, std::uint32_t access_bytes = 0);

// A place in a thread's local memory: the variable at that place, in the call `frame` or one of its
// callers, and its element. "local memory" if no debug information names one.
inline constexpr const char* kLocalMemory = "local memory";
struct LocalPlaceName {
  std::string variable;      // "sum"
  std::string element;       // "sum[2]"
  std::uint64_t offset = 0;  // of the place in the variable, in bytes
};
[[nodiscard]] LocalPlaceName local_place_name(const simt::Machine& machine, simt::WarpId id,
                                              int lane, std::uint32_t frame,
                                              std::uint64_t generic_address);

}  // namespace tilestep::record
