// The element of a buffer or a shared array at an address, by indices, and its value.
#pragma once

#include "narration/thread_view.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilestep::narration {

struct Element {
  std::uint32_t allocation = simt::kNoAllocation;  // index into Program::arrays
  std::int64_t outer = 0;  // with three indices the first: a stage of a double buffer; with more,
                           // all but the last two, linearized
  std::int64_t row = 0;
  std::int64_t col = 0;
  bool has_outer = false;
  bool is_flat = false;  // one index: `col`
};
// The layout of an array's elements.
struct ArrayShape {
  std::uint32_t allocation = simt::kNoAllocation;
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint32_t size = 4;  // per element
  std::int64_t cols = 1;   // per row; for a flat array all elements
  std::int64_t rows = 0;   // per outer index; 0: there is none
  bool is_flat = false;
};
// The shape of a buffer, a shared array or another variable; bytes is 0 for other memory.
[[nodiscard]] ArrayShape array_shape(const simt::Program& program, std::uint32_t allocation);
[[nodiscard]] Element element_in(const ArrayShape& shape, std::int64_t offset);

[[nodiscard]] std::optional<Element> element_at(const simt::Program& program, std::uint64_t address,
                                                std::uint32_t bytes);

// "A[1][6]"; "A[1][4..7]" if an access has several elements.
[[nodiscard]] std::string place_text(const simt::Program& program, std::uint64_t address,
                                     std::uint32_t bytes);
// "As"; "As[1]" for a double buffer, "Bs[1][0]" for one in boxes.
[[nodiscard]] std::string array_text(const simt::Program& program, const Element& element);

// The number at a generic address of global or shared memory after a state's steps, the `index`-th
// of an access, with the type of the array's elements.
[[nodiscard]] std::optional<Number> number_at(const record::State& state, std::uint32_t block,
                                              std::uint64_t address);
// Bytes of one element of the array at an address.
[[nodiscard]] std::uint32_t element_bytes(const simt::Program& program, const simt::Array& array);

}  // namespace tilestep::narration
