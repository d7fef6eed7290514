#include "insight/check/suspects.h"

// Compiled for AVX2 as well; the loader chooses. Nothing but these loops gets the newer
// instructions. Under a sanitizer the function that chooses runs before the sanitizer has started.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
#define TILESTEP_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TILESTEP_CLONES
#endif

namespace tilestep::insight::tag_groups {
namespace {

using Tags = std::int32_t __attribute__((vector_size(32)));
constexpr Tags kLane = {0, 1, 2, 3, 4, 5, 6, 7};

// Of a comparison's result. Inlined into each clone, so it takes no vector by value.
[[gnu::always_inline]] inline bool any(const Tags& lanes) {
  std::int64_t parts[4];
  std::memcpy(parts, &lanes, sizeof parts);
  return (parts[0] | parts[1] | parts[2] | parts[3]) != 0;
}

}  // namespace

bool load_same(const Words& words, const Interval& interval,
               std::span<const std::uint32_t> offsets) {
  bool wrong = false;
  for (const std::uint32_t offset : offsets) {
    for (const std::uint32_t first : words.first) {
      const std::int32_t stored = words.stored[first + offset];
      wrong = wrong || stored < interval.start || stored >= interval.floor;
      words.read[first + offset] = interval.many;
    }
  }
  return !wrong;
}

TILESTEP_CLONES bool load(const Words& words, const Interval& interval, std::int32_t first,
                          std::span<const std::uint32_t> offsets) {
  Tags wrong{};
  const Tags many = Tags{} + interval.many;
  for (const std::uint32_t offset : offsets) {
    Tags own = kLane + first;
    for (const std::uint32_t word : words.first) {
      Tags stored;
      Tags read;
      std::memcpy(&stored, words.stored + (word + offset), sizeof stored);
      std::memcpy(&read, words.read + (word + offset), sizeof read);
      wrong |= (stored < interval.start) | ((stored >= interval.floor) & (stored != own));
      read = ((read < interval.floor) | (read == own)) ? own : many;
      std::memcpy(words.read + (word + offset), &read, sizeof read);
      own += 8;
    }
  }
  return !any(wrong);
}

TILESTEP_CLONES bool store(const Words& words, std::int32_t floor, std::int32_t first) {
  Tags own = kLane + first;
  for (const std::uint32_t word : words.first) {
    Tags stored;
    Tags read;
    std::memcpy(&stored, words.stored + word, sizeof stored);
    std::memcpy(&read, words.read + word, sizeof read);
    if (any(((stored >= floor) & (stored != own)) | ((read >= floor) & (read != own)))) {
      return false;  // what is to be looked at again has to stand there still
    }
    std::memcpy(words.stored + word, &own, sizeof own);
    own += 8;
  }
  return true;
}

}  // namespace tilestep::insight::tag_groups
