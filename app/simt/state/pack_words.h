// Arrays of words that resemble each other, in little room: registers of warps that execute the
// same code, 32 lanes a row.
//
// An array is kept as its differences from the last one of the same length (the same part of
// another warp); of those, in each row, the words that differ from the second word before them. So
// lanes that differ from the other warp's by one and the same amount, of 32 or 64 bits, cost two
// words, a row without a difference one bit. Nothing is lost whatever the words are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilestep::simt {

// The last array of each length.
class ArraysBefore {
 public:
  // The one as long as `array`, which takes its place; empty: there was none.
  std::span<const std::byte> exchange(std::span<const std::byte> array);

 private:
  std::vector<std::span<const std::byte>> arrays_;
};

// Arrays are given as bytes, whole words of them, and have to stay as they are until one of the
// same length has followed.
class WordPacker {
 public:
  void add(std::span<const std::byte> array);
  // With a word behind the last array, which an unpacker may look at.
  [[nodiscard]] std::vector<std::uint32_t> take() {
    if (!packed_.empty()) {
      packed_.push_back(0);
    }
    return {packed_.begin(), packed_.end()};
  }

 private:
  ArraysBefore before_;
  std::vector<std::uint32_t> packed_;
};

// Gives the arrays back in the order in which they were added.
class WordUnpacker {
 public:
  explicit WordUnpacker(std::span<const std::uint32_t> packed) : rest_(packed) {}

  [[nodiscard]] std::size_t next_bytes() const { return rest_.front() * sizeof(std::uint32_t); }
  // `array` has next_bytes().
  void next(std::span<std::byte> array);

 private:
  std::span<const std::uint32_t> rest_;
  ArraysBefore before_;
};

}  // namespace tilestep::simt
