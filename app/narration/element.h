// Where in a buffer or a shared array an address lies, by indices, and what stands there.
#pragma once

#include "narration/thread_view.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilestep::narration {

struct Element {
  std::uint32_t allocation = simt::kNoAllocation;  // index into Program::arrays
  std::int64_t outer = 0;  // of three indices the first: a stage of a double buffer; of more, all
                           // but the last two, counted through
  std::int64_t row = 0;
  std::int64_t col = 0;
  bool has_outer = false;
  bool is_flat = false;  // one index: `col`
};
// How the elements of an array follow each other.
struct ArrayShape {
  std::uint32_t allocation = simt::kNoAllocation;
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint32_t size = 4;  // of an element
  std::int64_t cols = 1;   // from row to row; of a flat array all of them
  std::int64_t rows = 0;   // from outer index to outer index; 0: there is none
  bool is_flat = false;
};
// Of a buffer, a shared array or another variable; bytes is 0 of other memory.
[[nodiscard]] ArrayShape array_shape(const simt::Program& program, std::uint32_t allocation);
[[nodiscard]] Element element_in(const ArrayShape& shape, std::int64_t offset);

[[nodiscard]] std::optional<Element> element_at(const simt::Program& program, std::uint64_t address,
                                                std::uint32_t bytes);

// "A[1][6]"; "A[1][4..7]" where an access takes several elements.
[[nodiscard]] std::string place_text(const simt::Program& program, std::uint64_t address,
                                     std::uint32_t bytes);
// "As"; "As[1]" of a double buffer, "Bs[1][0]" of one in boxes.
[[nodiscard]] std::string array_text(const simt::Program& program, const Element& element);

// The number at a generic address of global or shared memory after a state's steps, `index`-th of
// an access; as the array's elements are.
[[nodiscard]] std::optional<Number> number_at(const record::State& state, std::uint32_t block,
                                              std::uint64_t address);
// Bytes of one element of the array at an address.
[[nodiscard]] std::uint32_t element_bytes(const simt::Program& program, const simt::Array& array);

}  // namespace tilestep::narration
