#include "simt/state/pack_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

namespace tilestep::simt {
namespace {

constexpr std::size_t kRow = 32;  // words; as many rows have their bits in one word
constexpr std::size_t kWord = sizeof(std::uint32_t);

using Row = std::array<std::uint32_t, kRow>;

// Most rows are whole, and a copy of constant size is no call.
void copy_words(void* to, const void* from, std::size_t count) {
  if (count == kRow) {
    std::memcpy(to, from, kRow * kWord);
  } else {
    std::memcpy(to, from, count * kWord);
  }
}

// `count` words of an array that has them, from word `begin` on; zeros of one that is empty.
[[nodiscard]] Row row_of(std::span<const std::byte> array, std::size_t begin, std::size_t count) {
  Row row{};
  if (!array.empty()) {
    copy_words(row.data(), array.data() + begin * kWord, count);
  }
  return row;
}

}  // namespace

std::span<const std::byte> ArraysBefore::exchange(std::span<const std::byte> array) {
  for (std::span<const std::byte>& before : arrays_) {
    if (before.size() == array.size()) {
      return std::exchange(before, array);
    }
  }
  arrays_.push_back(array);
  return {};
}

void WordPacker::add(std::span<const std::byte> array) {
  assert(array.size() % kWord == 0);
  const std::size_t words = array.size() / kWord;
  const std::span<const std::byte> last = before_.exchange(array);
  packed_.push_back(static_cast<std::uint32_t>(words));
  std::size_t bits = 0;  // where the word with these rows' bits stands
  for (std::size_t begin = 0; begin < words; begin += kRow) {
    const std::size_t number = begin / kRow % kRow;
    if (number == 0) {
      bits = packed_.size();
      packed_.push_back(0);
    }
    const std::size_t count = std::min(kRow, words - begin);
    const Row now = row_of(array, begin, count);
    const Row before = row_of(last, begin, count);
    if (now == before) {
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
}

void WordUnpacker::next(std::span<std::byte> array) {
  assert(array.size() == next_bytes());
  const std::size_t words = array.size() / kWord;
  const std::span<const std::byte> last = before_.exchange(array);
  const std::uint32_t* from = rest_.data() + 1;
  std::uint32_t bits = 0;
  for (std::size_t begin = 0; begin < words; begin += kRow) {
    const std::size_t number = begin / kRow % kRow;
    if (number == 0) {
      bits = *from++;
    }
    const std::size_t count = std::min(kRow, words - begin);
    Row row = row_of(last, begin, count);
    if ((bits >> number & 1U) != 0) {
      const std::uint32_t told = *from++;
      std::array<std::uint32_t, 2> difference{};
      difference[0] = (told & 1U) != 0 ? *from++ : 0;
      difference[1] = (told & 2U) != 0 ? *from++ : 0;
      if ((told & ~3U) == 0) {  // the same for all lanes: most rows
        for (std::size_t i = 0; i < row.size(); ++i) {
          row[i] += difference[i % 2];
        }
      } else {
        row[0] += difference[0];
        row[1] += difference[1];
        for (std::size_t i = 2; i < count; ++i) {
          if ((told >> i & 1U) != 0) {
            difference[i % 2] = *from++;
          }
          row[i] += difference[i % 2];
        }
      }
    }
    copy_words(array.data() + begin * kWord, row.data(), count);
  }
  rest_ = rest_.subspan(static_cast<std::size_t>(from - rest_.data()));
}

}  // namespace tilestep::simt
