#include "insight/check/suspects.h"

// These loops are compiled for AVX2 as well, and the loader chooses. Nothing else uses the newer
// instructions. Not under a sanitizer: the function that chooses would run before the sanitizer
// starts.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__) && !defined(_WIN32)
#define TILESTEP_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TILESTEP_CLONES
#endif

namespace tilestep::insight::tag_groups {
namespace {

using Tags = std::int32_t __attribute__((vector_size(32)));
constexpr Tags kLane = {0, 1, 2, 3, 4, 5, 6, 7};

// Whether any lane of a comparison's result is true. Inlined into each clone, so it takes no vector
// by value.
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
      return false;  // keep the tags: the caller checks these words again
    }
    std::memcpy(words.stored + word, &own, sizeof own);
    own += 8;
  }
  return true;
}

}  // namespace tilestep::insight::tag_groups
