// Where the values of sums were kept: found by looking for them in everything that held values.
#pragma once

#include "insight/trace/accumulators.h"
#include "insight/trace/flow_tracker.h"
#include "insight/trace/sums.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilestep::insight {

// A sum whose home is looked for. `store`: the last one of it.
struct HomeQuestion {
  const SumChain* chain = nullptr;
  std::uint32_t thread = 0;
  const StoredValue* store = nullptr;
};

struct FoundHome {
  SumHome home;  // of most values
  // The other values, by their links, and where they are: `part` of a tile, before it is added.
  struct Elsewhere {
    std::size_t link = 0;
    SumHome home;  // None: nowhere
  };
  std::vector<Elsewhere> elsewhere;
  std::uint64_t until = ~std::uint64_t{0};  // from this step on the home holds something else
  SumHome compensation;
  // Of a compensated sum, by link: from which step on the home has the value, which was computed
  // before in another variable. Empty: as soon as it is computed.
  std::vector<std::uint64_t> landed;
  std::uint64_t assigned = 0;       // from which step on the start was there; see SumNow
  std::vector<HeldValue> residues;  // what the compensation was, by step
};

// One answer for each question.
[[nodiscard]] std::vector<FoundHome> find_homes(const BlockFlow& flow, const LinearForms& forms,
                                                std::span<const HomeQuestion> questions);

}  // namespace tilestep::insight
