// Words of memory that a fast pass found something odd about: what the exact pass has to look at.
#pragma once

#include "simt/state/event.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tilestep::insight {

// Threads meet at a barrier of the whole block, which another has left the kernel without.
struct EarlyExit {
  std::uint32_t block = 0;
  std::uint32_t left = 0;     // threads of the block
  std::uint32_t present = 0;  // one that meets others
  std::uint32_t line = 0;     // 0: not known
};

// For each instruction that something odd was seen at, the first block that it was seen in, and the
// one that it met in global memory.
class SuspectBlocks {
 public:
  struct Place {
    std::uint64_t instruction = 0;  // function and pc
    std::uint32_t block = 0;
  };
  [[nodiscard]] static Place place_of(const simt::StepInfo& info) {
    return {std::uint64_t{info.function} << 32 | info.pc, info.id.block};
  }
  void add(const Place& place) { add(place, place.block); }
  void add(const Place& place, std::uint32_t met) {
    pairs_.try_emplace({place.instruction, met != place.block}, place.block, met);
  }
  // It met one of several blocks, and nobody knows which.
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
  std::vector<std::vector<bool>> global;  // by window (simt/memory.h) and word; empty: none
  bool undefined = false;                 // shuffles or divisions gave undefined values
  bool any = false;
  SuspectBlocks blocks;
  std::optional<EarlyExit> early_exit;  // the first one
  // Lanes of a warp have left, and others come to a barrier that is not the block's first one.
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
