// Where races on shared memory strike: an access comes before another one that the program has the
// other way round, and no barrier between the two kept their order.
//
// A race that does not strike leaves no trace: the accesses happened to be executed in the
// program's order. The program's order of two threads is that of their places between two barriers
// (as in order.h), which every thread of a kernel shares.
#pragma once

#include "insight/check/finding.h"
#include "record/recording.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilestep::insight {

struct StrikeSide {
  std::uint32_t thread = 0;  // linear in the block
  std::uint32_t line = 0;
  std::uint64_t step = 0;
};

struct Strike {
  std::uint32_t block = 0;
  std::uint64_t address = 0;  // of the word, generic
  StrikeSide writer;
  StrikeSide reader;

  // The store came too early, and what the reader needed is lost; else the reader came too early
  // for it.
  [[nodiscard]] bool is_lost() const { return writer.step < reader.step; }
  [[nodiscard]] std::uint64_t first_step() const { return is_lost() ? writer.step : reader.step; }
  [[nodiscard]] std::uint64_t last_step() const { return is_lost() ? reader.step : writer.step; }
};

// A block's strikes, by the reader's step; of a thread's reads of one word at one step, one.
[[nodiscard]] std::vector<Strike> find_strikes(const record::Recording& recording,
                                               std::uint32_t block);

// What the reader found, and what it should have: 32 bits each. Nothing where shared memory did not
// hold anything yet.
struct StrikeValues {
  std::optional<std::uint32_t> found;
  std::optional<std::uint32_t> should;
};
[[nodiscard]] StrikeValues values_of(const record::Recording& recording, const Strike& strike);

// As the check would report it: the two accesses in execution order.
[[nodiscard]] Finding finding_of(const simt::Program& program, const Strike& strike);

}  // namespace tilestep::insight
