// Suspect words of memory, found by a fast pass: the words that the exact pass checks.
#pragma once

#include "simt/state/event.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilestep::insight {

// Threads meet at a barrier of the whole block after another thread has exited the kernel.
struct EarlyExit {
  std::uint32_t block = 0;
  std::uint32_t left = 0;     // a thread that has exited
  std::uint32_t present = 0;  // a thread that arrives at the barrier
  std::uint32_t line = 0;     // 0: unknown
};

// For each suspect instruction, the first block it was found in, and the block that it conflicts
// with in global memory.
class SuspectBlocks {
 public:
  struct Access {
    std::uint64_t instruction = 0;  // function and pc
    std::uint32_t block = 0;
  };
  [[nodiscard]] static Access access_of(const simt::StepInfo& info) {
    return {std::uint64_t{info.function} << 32 | info.pc, info.id.block};
  }
  void add(const Access& access) { add(access, access.block); }
  void add(const Access& access, std::uint32_t met) {
    pairs_.try_emplace({access.instruction, met != access.block}, access.block, met);
  }
  // The access conflicts with one of several blocks, and it is unknown which.
  void add_any() { any_ = true; }
  void add(const SuspectBlocks& other) {
    pairs_.insert(other.pairs_.begin(), other.pairs_.end());
    any_ = any_ || other.any_;
  }

  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] std::set<std::uint32_t> blocks() const {
    std::set<std::uint32_t> all;
    for (const auto& [key, pair] : pairs_) {
      all.insert({pair.first, pair.second});
    }
    return all;
  }

 private:
  std::map<std::pair<std::uint64_t, bool>, std::pair<std::uint32_t, std::uint32_t>> pairs_;
  bool any_ = false;
};

struct Suspects {
  std::vector<bool> shared;               // by word of a block's shared memory
  std::vector<std::vector<bool>> global;  // by window (simt/state/memory.h) and word; empty: none
  bool undefined = false;                 // shuffles or divisions gave undefined values
  bool any = false;
  SuspectBlocks blocks;
  std::optional<EarlyExit> early_exit;  // the first one
  // Lanes of a warp have exited, and others reach a barrier that is not the block's first one.
  bool left_behind_barrier = false;

  void add_shared(std::size_t word) {
    if (shared.size() <= word) {
      shared.resize(word + 1, false);
    }
    shared[word] = true;
    any = true;
  }
  void add_global(std::size_t window, std::size_t word) {
    if (global.size() <= window) {
      global.resize(window + 1);
    }
    if (global[window].size() <= word) {
      global[window].resize(word + 1, false);
    }
    global[window][word] = true;
    any = true;
  }
  void add(const Suspects& other) {
    for (std::size_t word = 0; word < other.shared.size(); ++word) {
      if (other.shared[word]) {
        add_shared(word);
      }
    }
    for (std::size_t window = 0; window < other.global.size(); ++window) {
      for (std::size_t word = 0; word < other.global[window].size(); ++word) {
        if (other.global[window][word]) {
          add_global(window, word);
        }
      }
    }
    left_behind_barrier = left_behind_barrier || other.left_behind_barrier;
    early_exit = early_exit ? early_exit : other.early_exit;
    undefined = undefined || other.undefined;
    any = any || other.any;
    blocks.add(other.blocks);
  }
  [[nodiscard]] bool has_shared(std::size_t word) const {
    return word < shared.size() && shared[word];
  }
  [[nodiscard]] bool has_global(std::size_t window, std::size_t word) const {
    return window < global.size() && word < global[window].size() && global[window][word];
  }
};

}  // namespace tilestep::insight

namespace tilestep::insight::tag_groups {

// The tags (screen.h) of accesses whose lanes access memory in groups of 8, as the machine reports
// them (simt::AccessShape): one word for a group, or 8 consecutive ones. Nearly every access of a
// clean kernel has such a shape and is proved ordered by a few comparisons.
//
// Each function sets the accesses' tags and returns true, or returns false if something may be
// wrong. In the second case some clean groups may already have set their tags.

struct Words {
  std::int32_t* stored = nullptr;
  std::int32_t* read = nullptr;
  std::array<std::uint32_t, 4> first{};  // word of each group's first lane
};

struct Interval {
  std::int32_t start = 0;  // smaller tags are of an earlier block
  std::int32_t floor = 0;  // smaller tags are of an earlier interval
  std::int32_t many = 0;   // several threads have read it in this interval
};

// Loads of one word by all lanes of a group; access j is `offsets[j]` words further on.
[[nodiscard]] bool load_same(const Words& words, const Interval& interval,
                             std::span<const std::uint32_t> offsets);
// Loads of consecutive words; lane i's tag is first + i.
[[nodiscard]] bool load(const Words& words, const Interval& interval, std::int32_t first,
                        std::span<const std::uint32_t> offsets);
// A store to consecutive words.
[[nodiscard]] bool store(const Words& words, std::int32_t floor, std::int32_t first);

}  // namespace tilestep::insight::tag_groups

namespace tilestep::insight::tag_lanes {

// Loops over the tags of consecutive words (screen.h), four at a time, because every access of a
// launch uses them. Written as vectors because compilers do not vectorize loops this short.

using Quad = std::int32_t __attribute__((vector_size(16)));
inline constexpr std::uint32_t kQuad = 4;

inline Quad load(const std::int32_t* from) {
  Quad q;
  std::memcpy(&q, from, sizeof q);
  return q;
}
inline void store(std::int32_t* to, Quad q) {
  std::memcpy(to, &q, sizeof q);
}
inline Quad every(std::int32_t value) {
  return Quad{} + value;
}
inline Quad count_from(std::int32_t first) {
  return Quad{0, 1, 2, 3} + first;
}
// Whether any lane of a comparison's result is true.
inline bool any(Quad q) {
  std::uint64_t halves[2];
  std::memcpy(halves, &q, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

// Whether every tag is in [low, end).
inline bool all_between(const std::int32_t* t, std::uint32_t count, std::int32_t low,
                        std::int32_t end) {
  Quad outside{};
  std::uint32_t i = 0;
  for (; i + kQuad <= count; i += kQuad) {
    const Quad q = load(t + i);
    outside |= (q < every(low)) | (q >= every(end));
  }
  int odd = 0;
  for (; i < count; ++i) {
    odd |= static_cast<int>(t[i] < low) | static_cast<int>(t[i] >= end);
  }
  return odd == 0 && !any(outside);
}

inline void fill(std::int32_t* t, std::uint32_t count, std::int32_t tag) {
  std::uint32_t i = 0;
  for (; i + kQuad <= count; i += kQuad) {
    store(t + i, every(tag));
  }
  for (; i < count; ++i) {
    t[i] = tag;
  }
}

// Sets tag i to first + i.
inline void number(std::int32_t* t, std::uint32_t count, std::int32_t first) {
  std::uint32_t i = 0;
  for (; i + kQuad <= count; i += kQuad) {
    store(t + i, count_from(first + static_cast<std::int32_t>(i)));
  }
  for (; i < count; ++i) {
    t[i] = first + static_cast<std::int32_t>(i);
  }
}

// Sets tag i to first + i if it has that value already or is below `floor`, otherwise to
// `otherwise`.
inline void number_or(std::int32_t* t, std::uint32_t count, std::int32_t floor, std::int32_t first,
                      std::int32_t otherwise) {
  std::uint32_t i = 0;
  for (; i + kQuad <= count; i += kQuad) {
    const Quad q = load(t + i);
    const Quad own = count_from(first + static_cast<std::int32_t>(i));
    store(t + i, ((q < every(floor)) | (q == own)) ? own : every(otherwise));
  }
  for (; i < count; ++i) {
    const std::int32_t own = first + static_cast<std::int32_t>(i);
    t[i] = t[i] < floor || t[i] == own ? own : otherwise;
  }
}

// Whether each of `count` words is all ones.
inline bool all_ones(const std::uint64_t* words, std::uint32_t count) {
  std::uint64_t common = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < count; ++i) {
    common &= words[i];
  }
  return common == ~std::uint64_t{0};
}

}  // namespace tilestep::insight::tag_lanes

namespace tilestep::insight {

// Long zeroed arrays that are sparsely used.

// The operating system returns large blocks zeroed, and maps their pages at the first access.
template <class T>
struct ZeroedAllocator {
  using value_type = T;
  static_assert(std::is_trivially_default_constructible_v<T>);

  [[nodiscard]] T* allocate(std::size_t count) {
    void* const memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) { std::free(memory); }
  void construct(T* /*place*/) {}  // already zero

  friend bool operator==(const ZeroedAllocator&, const ZeroedAllocator&) { return true; }
};

// Grows once, from empty to its final size; it never shrinks and grows again.
template <class T>
using Zeroed = std::vector<T, ZeroedAllocator<T>>;

}  // namespace tilestep::insight
