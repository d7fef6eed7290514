// Races on shared memory that have an effect: two accesses are executed in the opposite of the
// program's order, and no barrier between them kept that order.
//
// A race without an effect leaves no trace: the accesses happened to be executed in the program's
// order. The program order of two threads is the order of their places between two barriers (as in
// order.h), and every thread of a kernel has the same.
#pragma once

#include "insight/check/finding.h"
#include "record/recording.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilestep::insight {

struct RaceAccess {
  std::uint32_t thread = 0;  // linear in the block
  std::uint32_t line = 0;
  std::uint64_t step = 0;
};

struct RaceEffect {
  std::uint32_t block = 0;
  std::uint64_t address = 0;  // of the word, generic
  RaceAccess writer;
  RaceAccess reader;

  // True: the store was too early and overwrote what the reader needed. False: the reader was too
  // early.
  [[nodiscard]] bool is_lost() const { return writer.step < reader.step; }
  [[nodiscard]] std::uint64_t first_step() const { return is_lost() ? writer.step : reader.step; }
  [[nodiscard]] std::uint64_t last_step() const { return is_lost() ? reader.step : writer.step; }
};

// The effects in a block, ordered by the reader's step. A thread's reads of one word at one step
// count once.
[[nodiscard]] std::vector<RaceEffect> find_race_effects(const record::Recording& recording,
                                                        std::uint32_t block);

// The value that the reader found and the value it should have found, 32 bits each. Empty if shared
// memory did not hold anything yet.
struct RaceEffectValues {
  std::optional<std::uint32_t> found;
  std::optional<std::uint32_t> should;
};
[[nodiscard]] RaceEffectValues values_of(const record::Recording& recording,
                                         const RaceEffect& effect);

// The finding as the check reports it: the two accesses in execution order.
[[nodiscard]] Finding finding_of(const simt::Program& program, const RaceEffect& effect);

}  // namespace tilestep::insight
