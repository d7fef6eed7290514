#include "analysis/launch_facts.h"

#include "analysis/chart.h"
#include "analysis/prediction.h"
#include "analysis/words.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>

namespace tilestep::analysis {
namespace {

constexpr std::uint64_t kLanesOfWarp = 32;
constexpr std::uint32_t kFloatsOfSector = 8;
constexpr double kIdeal = 1.001;  // counts up to this factor above the minimum are minimal
constexpr double kManyDigits = 100.0;

double per(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string name_of(LaunchQuantity quantity, const std::string& what) {
  return fmt::format(fmt::runtime(word_of(quantity).label.text()), what);
}

// The alignment of the rows of the block's threads.
std::string cause_of_sectors(const problem::Launch& launch, const insight::Traffic& loads) {
  const double ideal = per(loads.ideal_sectors, loads.requests);
  if (per(loads.sectors, loads.requests) <= kIdeal * ideal) {
    return tr("no sector is wasted");
  }
  const std::uint32_t row = launch.block.x;
  const bool is_row_of_tile = launch.parameters.block_size == static_cast<int>(row);
  if (is_row_of_tile && row < kFloatsOfSector) {
    return tr("rows of {} floats are shorter than a sector of 32 bytes", row);
  }
  return is_row_of_tile && row % kFloatsOfSector != 0
             ? tr("rows of {} floats do not start at multiples of 32 bytes", row)
             : tr("{:.2f} sectors would be enough for the requested bytes", ideal);
}

std::string cause_of_passes(const insight::Cost& cost) {
  const insight::Traffic shared = cost.shared();
  return shared.conflicts == 0 ? tr("no bank conflicts; words per load: {:.2g}",
                                    per(cost.shared_loads.elements, cost.shared_loads.threads))
                               : tr("{:.0f}% of the passes are due to bank conflicts",
                                    100.0 * per(shared.conflicts, shared.wavefronts));
}

std::string cause_of_idle_lanes(const LaunchFacts& facts) {
  const auto threads = static_cast<std::uint64_t>(facts.threads);
  const std::uint64_t warps = (threads + kLanesOfWarp - 1) / kLanesOfWarp;
  return tr_n("{1} threads in {0} warp of 32 lanes", "{1} threads in {0} warps of 32 lanes", warps,
              threads);
}

// Loads of the launch's inputs, by their number of elements; inputs with the same number are
// joined.
void add_loads_of_inputs(const NumberedLaunch& of, std::vector<LaunchNumber>& numbers) {
  const problem::Launch& launch = *of.launch;
  const double products = of.facts->flops / 2.0;
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const problem::Buffer& buffer = launch.buffers[i];
    std::uint64_t loads = 0;
    for (const LineAccesses& line : of.facts->accesses) {
      loads += line.target == i && line.kind == simt::AccessKind::Load ? line.elements : 0;
    }
    if (buffer.role != problem::BufferRole::Input || loads == 0) {
      continue;
    }
    const double elements = static_cast<double>(buffer.rows) * buffer.cols;
    const double each = static_cast<double>(loads) / elements;
    if (!numbers.empty() && numbers.back().quantity == LaunchQuantity::Loads &&
        numbers.back().value == each) {
      numbers.back().of = tr("{} and {}", numbers.back().of, buffer.name);
      numbers.back().name = name_of(LaunchQuantity::Loads, numbers.back().of);
      continue;
    }
    numbers.push_back({LaunchQuantity::Loads, name_of(LaunchQuantity::Loads, buffer.name),
                       buffer.name, each, Better::Less,
                       tr("{:.3g} products per load", products / static_cast<double>(loads))});
  }
}

void add_counted(const NumberedLaunch& of, std::vector<LaunchNumber>& numbers) {
  const LaunchFacts& facts = *of.facts;
  const auto add = [&](LaunchQuantity quantity, double value, std::string cause) {
    numbers.push_back(
        {quantity, word_of(quantity).label.text(), "", value, Better::Less, std::move(cause)});
  };
  add_loads_of_inputs(of, numbers);
  if (const insight::Traffic& loads = facts.cost.global_loads; loads.requests > 0) {
    add(LaunchQuantity::Sectors, per(loads.sectors, loads.requests),
        cause_of_sectors(*of.launch, loads));
  }
  if (const insight::Traffic shared = facts.cost.shared(); shared.requests > 0) {
    add(LaunchQuantity::Passes,
        static_cast<double>(kLanesOfWarp * shared.wavefronts) / (facts.flops / 2.0),
        cause_of_passes(facts.cost));
  }
  add(LaunchQuantity::IdleLanes, 100.0 * (1.0 - facts.cost.divergence_efficiency()),
      cause_of_idle_lanes(facts));
}

void add_timed(const NumberedLaunch& of, std::vector<LaunchNumber>& numbers) {
  const std::string size = to_text(of.measured);
  const bool is_counted = of.timed != nullptr && of.timed->why_not.empty() && of.gpu.is_known();
  std::string cause;
  if (is_counted) {
    const Prediction prediction = predict(*of.timed, of.gpu);
    numbers.push_back({LaunchQuantity::Waves, name_of(LaunchQuantity::Waves, size), size,
                       prediction.waves, Better::Neither,
                       tr("{} blocks, {} at once on each of {} SMs", grouped(of.timed->blocks),
                          prediction.blocks_of_sm, of.gpu.sms)});
    cause = tr("limited by {}", word_of(prediction.binding()).label);
  }
  if (of.gflops) {
    numbers.push_back(
        {LaunchQuantity::Speed, name_of(LaunchQuantity::Speed, size), size, *of.gflops,
         Better::More,
         *of.gflops > 0.0 ? std::move(cause) : tr("no data set contains this launch")});
  }
}

}  // namespace

std::vector<LineAccesses> by_line(std::span<const insight::AccessCost> accesses) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, simt::AccessKind>, LineAccesses> lines;
  for (const insight::AccessCost& access : accesses) {
    LineAccesses& sum = lines[{access.line, access.target, access.kind}];
    sum.line = access.line;
    sum.target = access.target;
    sum.kind = access.kind;
    sum.sectors += access.traffic.sectors;
    sum.wavefronts += access.traffic.wavefronts;
    sum.elements += access.traffic.elements;
  }
  std::vector<LineAccesses> all;
  for (const auto& [key, sum] : lines) {
    all.push_back(sum);
  }
  return all;
}

bool are_for(const LaunchFacts& facts, int architecture) {
  return architecture == 0 || facts.architecture == architecture;
}

const LaunchFacts* find_facts(std::span<const LaunchFacts> facts, const std::string& kernel,
                              const problem::Parameters& parameters, int architecture,
                              const std::string& edited_source) {
  const auto found = std::ranges::find_if(facts, [&](const LaunchFacts& f) {
    return f.kernel == kernel && f.parameters == parameters && are_for(f, architecture) &&
           f.edited_source == edited_source;
  });
  return found == facts.end() ? nullptr : &*found;
}

std::string LaunchNumber::text() const {
  if (!is_known()) {
    return tr("not measured");
  }
  if (quantity == LaunchQuantity::IdleLanes) {
    return fmt::format("{:.3g}%", value);
  }
  const bool is_whole = value == std::floor(value);
  return is_whole || value >= kManyDigits ? grouped(static_cast<std::uint64_t>(std::llround(value)))
                                          : fmt::format("{:.3g}", value);
}

std::vector<LaunchNumber> numbers_of(const NumberedLaunch& of) {
  std::vector<LaunchNumber> numbers;
  const problem::Dim3& block = of.launch->block;
  numbers.push_back({LaunchQuantity::Blocks, word_of(LaunchQuantity::Blocks).label.text(), "",
                     static_cast<double>(of.launch->grid.count()), Better::Neither,
                     tr("a block has {} threads", block.count())});
  if (of.facts != nullptr && of.facts->why_not.empty()) {
    add_counted(of, numbers);
  }
  add_timed(of, numbers);
  return numbers;
}

}  // namespace tilestep::analysis
