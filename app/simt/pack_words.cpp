#include "simt/pack_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace tilestep::simt {
namespace {

constexpr std::size_t kRow = 32;  // words; as many rows have their bits in one word

using Row = std::array<std::uint32_t, kRow>;

// What a row is compared with where no array of the same size came before.
constexpr Row kNothing{};

[[nodiscard]] const std::uint32_t* row_before(std::span<const std::uint32_t> before,
                                              std::size_t size, std::size_t begin) {
  return before.size() == size ? before.data() + begin : kNothing.data();
}

}  // namespace

void WordPacker::add(std::span<const std::uint32_t> words) {
  packed_.push_back(static_cast<std::uint32_t>(words.size()));
  std::size_t bits = 0;  // where the word with these rows' bits stands
  for (std::size_t begin = 0; begin < words.size(); begin += kRow) {
    const std::size_t number = begin / kRow % kRow;
    if (number == 0) {
      bits = packed_.size();
      packed_.push_back(0);
    }
    const std::size_t count = std::min(kRow, words.size() - begin);
    const std::uint32_t* const now = words.data() + begin;
    const std::uint32_t* const before = row_before(before_, words.size(), begin);
    if (std::equal(now, now + count, before)) {
      continue;
    }
    packed_[bits] |= 1U << number;
    std::array<std::uint32_t, kRow + 2> difference{};  // two zeros before the row
    std::uint32_t told = 0;
    for (std::size_t i = 0; i < count; ++i) {
      difference[i + 2] = now[i] - before[i];
      told |= static_cast<std::uint32_t>(difference[i + 2] != difference[i]) << i;
    }
    packed_.push_back(told);
    for (; told != 0; told &= told - 1) {
      packed_.push_back(difference[static_cast<std::size_t>(std::countr_zero(told)) + 2]);
    }
  }
  before_ = words;
}

void WordUnpacker::next(std::span<std::uint32_t> words) {
  assert(words.size() == next_size());
  const std::uint32_t* from = rest_.data() + 1;
  std::uint32_t bits = 0;
  for (std::size_t begin = 0; begin < words.size(); begin += kRow) {
    const std::size_t number = begin / kRow % kRow;
    if (number == 0) {
      bits = *from++;
    }
    const std::size_t count = std::min(kRow, words.size() - begin);
    std::uint32_t* const now = words.data() + begin;
    const std::uint32_t* const before = row_before(before_, words.size(), begin);
    if ((bits >> number & 1U) == 0) {
      std::copy_n(before, count, now);
      continue;
    }
    const std::uint32_t told = *from++;
    std::array<std::uint32_t, 2> difference{};
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t& here = difference[i % 2];
      if ((told >> i & 1U) != 0) {
        here = *from++;
      }
      now[i] = before[i] + here;
    }
  }
  rest_ = rest_.subspan(static_cast<std::size_t>(from - rest_.data()));
  before_ = words;
}

}  // namespace tilestep::simt
