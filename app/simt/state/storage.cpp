#include "simt/state/storage.h"

#include <array>
#include <bit>

namespace tilestep::simt {
namespace {

constexpr std::size_t kRow = 32;  // words; one word holds the bits of as many rows
constexpr std::size_t kWord = sizeof(std::uint32_t);

using Row = std::array<std::uint32_t, kRow>;

// Most rows are whole, and a copy of constant size needs no call.
void copy_words(void* to, const void* from, std::size_t count) {
  if (count == kRow) {
    std::memcpy(to, from, kRow * kWord);
  } else {
    std::memcpy(to, from, count * kWord);
  }
}

// `count` words of an array, starting at word `begin`; zeros for an empty array.
[[nodiscard]] Row row_of(std::span<const std::byte> array, std::size_t begin, std::size_t count) {
  Row row{};
  if (!array.empty()) {
    copy_words(row.data(), array.data() + begin * kWord, count);
  }
  return row;
}

// A row's differences from the same row before, behind two zeros.
using Differences = std::array<std::uint32_t, kRow + 2>;

// The words whose difference is not that of the word two places before, as bits.
std::uint32_t changes_in(const Differences& difference) {
  std::uint32_t changes = (difference[2] != 0 ? 1U : 0U) | (difference[3] != 0 ? 2U : 0U);
  constexpr std::size_t kOthers = (kRow - 2) * kWord;
  if (std::memcmp(&difference[2], &difference[4], kOthers) == 0) {  // most rows
    return changes;
  }
  for (std::size_t i = 2; i < kRow; ++i) {
    changes |= static_cast<std::uint32_t>(difference[i + 2] != difference[i]) << i;
  }
  return changes;
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
  std::size_t bits = 0;  // position of the word with these rows' bits
  for (std::size_t begin = 0; begin < words; begin += kRow) {
    const std::size_t number = begin / kRow % kRow;
    if (number == 0) {
      bits = packed_.size();
      packed_.push_back(0);
    }
    const std::size_t count = std::min(kRow, words - begin);
    const auto is_same_row = [&] {
      return std::memcmp(array.data() + begin * kWord, last.data() + begin * kWord, kRow * kWord) ==
             0;
    };
    if (count == kRow && !last.empty() && is_same_row()) {
      continue;
    }
    const Row now = row_of(array, begin, count);
    const Row before = row_of(last, begin, count);
    Differences difference{};
    for (std::size_t i = 0; i < kRow; ++i) {  // vector instructions
      difference[i + 2] = now[i] - before[i];
    }
    const std::uint32_t in_row = ~std::uint32_t{0} >> (kRow - count);
    const std::uint32_t stored = changes_in(difference) & in_row;
    if (stored == 0) {
      continue;
    }
    packed_[bits] |= 1U << number;
    packed_.push_back(stored);
    for (std::uint32_t rest = stored; rest != 0; rest &= rest - 1) {
      packed_.push_back(difference[static_cast<std::size_t>(std::countr_zero(rest)) + 2]);
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
    const bool differs = (bits >> number & 1U) != 0;
    if (!differs && count == kRow && !last.empty()) {
      std::memcpy(array.data() + begin * kWord, last.data() + begin * kWord, kRow * kWord);
      continue;
    }
    Row row = row_of(last, begin, count);
    if (differs) {
      const std::uint32_t stored = *from++;
      std::array<std::uint32_t, 2> difference{};
      difference[0] = (stored & 1U) != 0 ? *from++ : 0;
      difference[1] = (stored & 2U) != 0 ? *from++ : 0;
      if ((stored & ~3U) == 0) {  // equal differences in all lanes: most rows
        const std::array<std::uint32_t, 4> four{difference[0], difference[1], difference[0],
                                                difference[1]};
        for (std::size_t i = 0; i < kRow; i += four.size()) {  // one vector instruction each
          row[i] += four[0];
          row[i + 1] += four[1];
          row[i + 2] += four[2];
          row[i + 3] += four[3];
        }
      } else {
        row[0] += difference[0];
        row[1] += difference[1];
        for (std::size_t i = 2; i < count; ++i) {
          // Branchless, because the branch is unpredictable: reads at most one word ahead.
          const std::uint32_t is_stored = stored >> i & 1U;
          difference[i % 2] = is_stored != 0 ? *from : difference[i % 2];
          from += is_stored;
          row[i] += difference[i % 2];
        }
      }
    }
    copy_words(array.data() + begin * kWord, row.data(), count);
  }
  rest_ = rest_.subspan(static_cast<std::size_t>(from - rest_.data()));
}

}  // namespace tilestep::simt
