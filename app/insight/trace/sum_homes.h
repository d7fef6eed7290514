// The places that held the values of sums, found by searching everything that held values.
#pragma once

#include "insight/trace/accumulators.h"
#include "insight/trace/flow_tracker.h"
#include "insight/trace/sums.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilestep::insight {

// A sum whose home is searched. `store`: the last store of it.
struct HomeQuestion {
  const SumChain* chain = nullptr;
  std::uint32_t thread = 0;
  const StoredValue* store = nullptr;
};

struct FoundHome {
  SumHome home;  // of most values
  // The other values, by their links, and the places that held them: `part` of a tile, before it is
  // added.
  struct Elsewhere {
    std::size_t link = 0;
    SumHome home;  // None: no place
  };
  std::vector<Elsewhere> elsewhere;
  std::uint64_t until = ~std::uint64_t{0};  // from this step on the home holds something else
  SumHome compensation;
  // Compensated sum, by link: the step from which on the home has the value, which another variable
  // held before. Empty: from its computation on.
  std::vector<std::uint64_t> landed;
  std::uint64_t assigned = 0;       // step from which on the home held the start; see SumNow
  std::vector<HeldValue> residues;  // values of the compensation, by step
};

// One answer for each question.
[[nodiscard]] std::vector<FoundHome> find_homes(const BlockFlow& flow, const LinearForms& forms,
                                                std::span<const HomeQuestion> questions);

}  // namespace tilestep::insight
