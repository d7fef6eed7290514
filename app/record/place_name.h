// How a place in memory is called: "As[1][2]", "A[8][0]", "s[3].x", "As+12".
//
// Buffers have rows and columns (their launch description's shape), variables have the type that
// DWARF or the probe gave them. A place beyond the end of either is named by continuing its
// outermost index, so that "A[8][0]" says how far outside it lies. Dynamic shared memory is called
// what the kernel makes of it (Program::arrays). A buffer of one row is a vector:
// "x[5]".
#pragma once

#include "simt/machine/machine.h"

#include <cstdint>
#include <string>

namespace tilestep::record {

// Row and column of a byte offset in a buffer; both may lie outside its shape.
struct BufferElement {
  std::int64_t row = 0;
  std::int64_t col = 0;
  std::int64_t byte_in_element = 0;
};
[[nodiscard]] BufferElement buffer_element(const problem::Buffer& buffer, std::int64_t offset);

// `access_bytes`: how much is read or written there; a whole row or struct is not cut down to its
// first member then. 0: the innermost element.
[[nodiscard]] std::string place_name(const simt::Program& program, const simt::Place& place,
                                     std::uint32_t access_bytes = 0);

// What a place in it belongs to as the text declares it: "As"; of the piece "ends[1]" "ends".
[[nodiscard]] const std::string& variable_name(const simt::Program& program,
                                               std::uint32_t allocation);

// "[1][2].x" for an offset in a value of a type; "" at its start when it is not an array or struct.
[[nodiscard]] std::string element_suffix(const ptx::Module& module, ptx::TypeId type,
                                         std::int64_t offset, std::uint32_t access_bytes = 0);

// A place in a thread's local memory: the variable of the call `frame`, or of one that called it,
// that lies there, and its element. "local memory" where no debug information names one.
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
