// Races on shared memory that have an effect: an access comes before one that the program has the
// other way round, and no barrier between the two kept their order.
//
// A race without an effect leaves no trace: the accesses happened to be executed in the
// program's order. The program's order of two threads is that of their places between two barriers
// (as in order.h), which every thread of a kernel shares.
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

  // The store came too early, and what the reader needed is lost; else the reader came too early
  // for it.
  [[nodiscard]] bool is_lost() const { return writer.step < reader.step; }
  [[nodiscard]] std::uint64_t first_step() const { return is_lost() ? writer.step : reader.step; }
  [[nodiscard]] std::uint64_t last_step() const { return is_lost() ? reader.step : writer.step; }
};

// The effects in a block, by the reader's step; one for a thread's reads of one word at one step.
[[nodiscard]] std::vector<RaceEffect> find_race_effects(const record::Recording& recording,
                                                        std::uint32_t block);

// What the reader found, and what it should have: 32 bits each. Nothing where shared memory did not
// hold anything yet.
struct RaceEffectValues {
  std::optional<std::uint32_t> found;
  std::optional<std::uint32_t> should;
};
[[nodiscard]] RaceEffectValues values_of(const record::Recording& recording,
                                         const RaceEffect& effect);

// As the check would report it: the two accesses in execution order.
[[nodiscard]] Finding finding_of(const simt::Program& program, const RaceEffect& effect);

}  // namespace tilestep::insight
