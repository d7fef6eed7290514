// Arrays of words that resemble each other, in little room: registers of warps that execute the
// same code, 32 lanes a row.
//
// An array is kept as its differences from the one before (the same place in another warp); of
// those, in each row, the words that differ from the second word before them. So lanes that differ
// from the other warp's by one and the same amount, of 32 or 64 bits, cost two words, a row without
// a difference one bit. Nothing is lost whatever the words are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilestep::simt {

class WordPacker {
 public:
  // The words have to stay where they are until the next call.
  void add(std::span<const std::uint32_t> words);
  [[nodiscard]] std::vector<std::uint32_t> take() { return {packed_.begin(), packed_.end()}; }

 private:
  std::span<const std::uint32_t> before_;
  std::vector<std::uint32_t> packed_;
};

// Gives the arrays back in the order in which they were added.
class WordUnpacker {
 public:
  explicit WordUnpacker(std::span<const std::uint32_t> packed) : rest_(packed) {}

  [[nodiscard]] std::size_t next_size() const { return rest_.front(); }
  // `words` has next_size() words, and they have to stay as they are until the next call.
  void next(std::span<std::uint32_t> words);

 private:
  std::span<const std::uint32_t> rest_;
  std::span<const std::uint32_t> before_;
};

}  // namespace tilestep::simt
