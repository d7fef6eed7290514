#include "analysis/stage_place.h"

#include <algorithm>

namespace tilestep::analysis {
namespace {

constexpr int kLanes = 32;

// The line whose accesses of shared memory, or of all other, take most.
std::uint32_t costliest_line_of(const LaunchFacts& facts, bool shared) {
  std::uint32_t line = 0;
  std::uint64_t most = 0;
  for (const LineAccesses& accesses : facts.accesses) {
    const std::uint64_t cost = shared ? accesses.wavefronts : accesses.sectors;
    if ((accesses.target == insight::kSharedTarget) == shared && cost > most) {
      line = accesses.line;
      most = cost;
    }
  }
  return line;
}

// Where the products are: what a kernel reads for them is what it reads most often.
std::uint32_t line_of_products(const LaunchFacts& facts) {
  const std::uint32_t shared = costliest_line_of(facts, true);
  return shared > 0 ? shared : costliest_line_of(facts, false);
}

SeenAt seen_idle_lanes(const LaunchFacts& facts) {
  if (facts.threads % kLanes == 0) {
    return {Sight::MaskedLanes, 0, 0};
  }
  return {Sight::Warp, line_of_products(facts),
          static_cast<std::uint32_t>(std::max(facts.threads, 1) - 1)};
}

}  // namespace

SeenAt seen_at(Cause cause, const LaunchFacts& facts) {
  switch (cause) {
    case Cause::Size:
      return {Sight::BySize, 0, 0};
    case Cause::Gpu:
      return {Sight::Roofline, 0, 0};
    case Cause::Instructions:
    case Cause::RegisterPorts:
    case Cause::TensorCores:
      return {Sight::Ptx, line_of_products(facts), 0};
    case Cause::IdleLanes:
      return seen_idle_lanes(facts);
    case Cause::SharedPasses:
      return {Sight::Memory, costliest_line_of(facts, true), 0};
    case Cause::GlobalPasses:
    case Cause::L2Sectors:
      return {Sight::Memory, costliest_line_of(facts, false), 0};
    case Cause::Waits:
      return facts.barriers > 0 ? SeenAt{Sight::Barrier, 0, 0}
                                : SeenAt{Sight::Memory, costliest_line_of(facts, false), 0};
    case Cause::Barriers:
      return {Sight::Barrier, 0, 0};
    case Cause::ResidentWarps:
    case Cause::Tail:
      break;
  }
  return {Sight::Occupancy, 0, 0};
}

}  // namespace tilestep::analysis
