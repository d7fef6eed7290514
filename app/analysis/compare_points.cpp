#include "analysis/compare_points.h"

#include "analysis/words.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace tilestep::analysis {
namespace {

constexpr double kSmallFactor = 0.015;  // a factor this close to 1 is not mentioned
constexpr double kWorthALine = 0.005;   // all small factors together
constexpr std::size_t kNamedFactors = 5;

// Everything that the model needs to predict a time.
struct Setting {
  Terms terms;
  GpuModel gpu;
};

void swap_cause(Cause cause, const Setting& from, Setting& to) {
  Terms& t = to.terms;
  const Terms& f = from.terms;
  switch (cause) {
    case Cause::Size:
      t.multiply_adds = f.multiply_adds;
      t.least_bytes = f.least_bytes;
      break;
    case Cause::Gpu:
      to.gpu = from.gpu;
      break;
    case Cause::Instructions:
      t.warp_instructions = f.warp_instructions;
      t.lone_clocks = f.lone_clocks;
      break;
    case Cause::RegisterPorts:
      t.port_waits = f.port_waits;
      break;
    case Cause::TensorCores:
      t.matrix_products = f.matrix_products;
      t.warpgroup_clocks = f.warpgroup_clocks;
      break;
    case Cause::IdleLanes:
      t.working_lanes = f.working_lanes;
      break;
    case Cause::SharedPasses:
      t.shared_passes = f.shared_passes;
      break;
    case Cause::GlobalPasses:
      t.global_passes = f.global_passes;
      break;
    case Cause::L2Sectors:
      t.l2_sectors = f.l2_sectors;
      t.bytes_again = f.bytes_again;
      break;
    case Cause::Waits:
      t.memory_waits = f.memory_waits;
      t.dram_waits = f.dram_waits;
      t.l1_waits = f.l1_waits;
      break;
    case Cause::Barriers:
      t.barriers = f.barriers;
      t.busiest_scheduler = f.busiest_scheduler;
      break;
    case Cause::ResidentWarps:
      t.resident_warps = f.resident_warps;
      t.warps_in_step = f.warps_in_step;
      break;
    case Cause::Tail:
      t.balance = f.balance;
      t.filled_rounds = f.filled_rounds;
      t.heaviest_warp = f.heaviest_warp;
      break;
  }
}

bool same_gpu(const GpuModel& a, const GpuModel& b) {
  return a.sms == b.sms && a.sm_clock_mhz == b.sm_clock_mhz && a.dram_gb_s == b.dram_gb_s &&
         a.l2_gb_s == b.l2_gb_s && a.l2_mib == b.l2_mib && a.warps_of_sm == b.warps_of_sm &&
         a.shared_bytes_of_sm == b.shared_bytes_of_sm;
}

std::vector<Cause> differing_causes(const Setting& a, const Setting& b) {
  std::vector<Cause> causes;
  for (const auto& word : kWords<Cause>) {
    Setting swapped = a;
    swap_cause(word.value, b, swapped);
    if (swapped.terms != a.terms || !same_gpu(swapped.gpu, a.gpu)) {
      causes.push_back(word.value);
    }
  }
  return causes;
}

// The logarithm of the predicted time for every set of causes taken from `b`, by the set's bits.
std::vector<double> log_times(const Setting& a, const Setting& b,
                              const std::vector<Cause>& causes) {
  std::vector<double> times(std::size_t{1} << causes.size());
  for (std::size_t set = 0; set < times.size(); ++set) {
    Setting mixed = a;
    for (std::size_t i = 0; i < causes.size(); ++i) {
      if ((set >> i & 1U) != 0) {
        swap_cause(causes[i], b, mixed);
      }
    }
    times[set] = std::log(predicted_ms(mixed.terms, mixed.gpu));
  }
  return times;
}

// The Shapley value of cause i: its contribution beyond the causes before it, on average over all
// orders. A set of s causes precedes it in s!·(n-1-s)!/n! of them.
double share_of(std::size_t i, std::size_t causes, const std::vector<double>& times) {
  double sum = 0.0;
  for (std::size_t set = 0; set < times.size(); ++set) {
    if ((set >> i & 1U) != 0) {
      continue;
    }
    const auto before = static_cast<double>(std::popcount(set));
    const auto after = static_cast<double>(causes) - 1.0 - before;
    const double orders = std::exp(std::lgamma(before + 1.0) + std::lgamma(after + 1.0) -
                                   std::lgamma(static_cast<double>(causes) + 1.0));
    sum += orders * (times[set | std::size_t{1} << i] - times[set]);
  }
  return sum;
}

double divided(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

// The largest power of two, up to 16 bytes, that divides the size of rows of this many floats.
int row_alignment(int floats) {
  return std::gcd(4 * floats, 16);
}

// Whether the tiles' rows have BLOCK_SIZE floats, as far as the block's shared memory shows.
bool has_plain_tiles(const LaunchFacts& facts) {
  const int size = facts.parameters.block_size;
  return size > 0 && facts.needs && facts.needs->shared_bytes > 0 &&
         facts.needs->shared_bytes % (4 * size * size) == 0;
}

// Why `slow` needs more passes through shared memory; empty if the counts do not show it.
std::string reason_for_passes(const LaunchFacts& fast, const LaunchFacts& slow) {
  const insight::Traffic f = fast.cost.shared();
  const insight::Traffic s = slow.cost.shared();
  const double conflicts_fast = divided(f.conflicts, f.wavefronts);
  const double conflicts_slow = divided(s.conflicts, s.wavefronts);
  if (conflicts_slow > conflicts_fast + 0.05) {
    return tr("{:.0f}% instead of {:.0f}% of the passes are due to bank conflicts",
              100.0 * conflicts_slow, 100.0 * conflicts_fast);
  }
  const double words_fast =
      divided(fast.cost.shared_loads.elements, fast.cost.shared_loads.threads);
  const double words_slow =
      divided(slow.cost.shared_loads.elements, slow.cost.shared_loads.threads);
  if (words_slow == 0.0 || words_slow > 0.95 * words_fast || !slow.is_machine_code) {
    return "";
  }
  const int alignment = row_alignment(fast.parameters.block_size);
  const int size = slow.parameters.block_size;
  if (fast.kernel == slow.kernel && has_plain_tiles(fast) && has_plain_tiles(slow) &&
      row_alignment(size) < alignment) {
    return tr(
        "rows of {} floats are not {}-byte aligned, so the compiler cannot merge loads: {:.1f} "
        "instead of {:.1f} words per load",
        size, alignment, words_slow, words_fast);
  }
  return tr("a load reads {:.1f} words instead of {:.1f}", words_slow, words_fast);
}

std::string sectors_of_request(const LaunchFacts& facts) {
  const insight::Traffic& loads = facts.cost.global_loads;
  return fmt::format("{:.2f}", divided(loads.sectors, loads.requests));
}

// The counts of both, for the fast one as `f`, for the slow one as `s`.
std::string counted(Cause cause, const ComparedPoint& fast, const ComparedPoint& slow,
                    const Terms& f, const Terms& s) {
  const auto for_32 = [](double of_one) { return fmt::format("{:.3g}", 32.0 * of_one); };
  switch (cause) {
    case Cause::Size:
      return tr("{:.3g} multiply-adds instead of {:.3g}", s.multiply_adds, f.multiply_adds);
    case Cause::Gpu:
      return tr("{} instead of {}", slow.gpu.name, fast.gpu.name);
    case Cause::Instructions:
      return tr("{} instead of {} full-warp instructions per 32 multiply-adds",
                for_32(s.warp_instructions), for_32(f.warp_instructions));
    case Cause::RegisterPorts:
      return tr("products wait {} instead of {} cycles for registers per 32 multiply-adds",
                for_32(s.port_waits), for_32(f.port_waits));
    case Cause::TensorCores:
      return tr("{} instead of {} matrix products per 32 multiply-adds", for_32(s.matrix_products),
                for_32(f.matrix_products));
    case Cause::IdleLanes:
      return tr("{:.0f}% instead of {:.0f}% of the lanes are active", 100.0 * s.working_lanes,
                100.0 * f.working_lanes);
    case Cause::SharedPasses:
      return tr("{} instead of {} passes per 32 multiply-adds", for_32(s.shared_passes),
                for_32(f.shared_passes));
    case Cause::GlobalPasses:
      return tr("{} instead of {} passes per 32 multiply-adds; {} instead of {} sectors per load",
                for_32(s.global_passes), for_32(f.global_passes), sectors_of_request(*slow.facts),
                sectors_of_request(*fast.facts));
    case Cause::L2Sectors:
      return tr("{:.3g} instead of {:.3g} bytes per multiply-add", kSectorBytes * s.l2_sectors,
                kSectorBytes * f.l2_sectors);
    case Cause::Waits:
      return tr(
          "{} instead of {} waits per 32 multiply-adds; {:.0f}% instead of {:.0f}% of them are for "
          "DRAM",
          for_32(s.memory_waits), for_32(f.memory_waits), 100.0 * s.dram_waits,
          100.0 * f.dram_waits);
    case Cause::Barriers:
      return tr(
          "warps pass {} instead of {} barriers per 32 multiply-adds; the busiest scheduler has "
          "{:.0f}% more of a block's warps than the average one, instead of {:.0f}%",
          for_32(s.barriers), for_32(f.barriers), 100.0 * (s.busiest_scheduler - 1.0),
          100.0 * (f.busiest_scheduler - 1.0));
    case Cause::ResidentWarps:
      return tr("{:.0f} instead of {:.0f}", s.resident_warps, f.resident_warps);
    case Cause::Tail:
      return tr("the average SM runs {:.0f}% instead of {:.0f}% as many blocks as the busiest SM",
                100.0 * s.balance, 100.0 * f.balance);
  }
  return "";
}

void add_factors(const ComparedPoint& fast, const ComparedPoint& slow, Comparison& comparison) {
  const Setting from{terms_of(*fast.facts, fast.gpu), fast.gpu};
  const Setting to{terms_of(*slow.facts, slow.gpu), slow.gpu};
  const std::vector<Cause> causes = differing_causes(from, to);
  const std::vector<double> times = log_times(from, to, causes);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    comparison.factors.push_back({causes[i], std::exp(share_of(i, causes.size(), times)),
                                  counted(causes[i], fast, slow, from.terms, to.terms),
                                  causes[i] == Cause::SharedPasses
                                      ? reason_for_passes(*fast.facts, *slow.facts)
                                      : std::string()});
  }
  std::ranges::stable_sort(comparison.factors, std::ranges::greater{},
                           [](const Factor& f) { return std::fabs(std::log(f.ratio)); });
  comparison.predicted = std::exp(times.back() - times.front());
}

bool matters(double ratio) {
  return std::fabs(ratio - 1.0) >= kSmallFactor;
}

// The factors are sorted: those that matter are first.
void name_factors(Comparison& c) {
  while (c.named < std::min(c.factors.size(), kNamedFactors) && matters(c.factors[c.named].ratio)) {
    ++c.named;
  }
  for (std::size_t i = c.named; i < c.factors.size(); ++i) {
    c.others *= c.factors[i].ratio;
  }
}

void put_into_words(const ComparedPoint& fast, const ComparedPoint& slow, Comparison& c) {
  const double ratio = c.measured > 0.0 ? c.measured : c.predicted;
  c.claim = c.measured > 0.0
                ? tr("{} takes {:.2f}× as long as {}", slow.name, ratio, fast.name)
                : tr("{} should take {:.2f}× as long as {}", slow.name, ratio, fast.name);
  const auto add = [&c](const std::string& words) {
    c.causes += (c.causes.empty() ? "" : "; ") + words;
  };
  for (std::size_t i = 0; i < c.named; ++i) {
    const Factor& factor = c.factors[i];
    add(fmt::format("{} ({})", factor.claim(), factor.sentence()));
  }
  if (std::fabs(c.others - 1.0) >= kWorthALine) {
    add(tr("{:.2f}× from minor causes", c.others));
  }
  if (c.measured > 0.0) {
    add(tr("{:.2f}× from the rest", c.rest));
  }
  if (!c.explained) {
    c.doubt = tr("The model does not explain this ratio: it predicts {:.2f}×.", c.predicted);
  }
}

constexpr int kLanes = 32;

// The line with the highest total cost of accesses to shared memory, or to all other memory.
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

// The line of the products: the most frequent reads are those of factors.
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

std::string Factor::claim() const {
  return tr("{:.2f}× from {}", ratio, word_of(cause).label);
}

std::string Factor::sentence() const {
  return reason.empty() ? counted : counted + "; " + reason;
}

std::string Comparison::sentence() const {
  return claim + (causes.empty() ? "" : ": ") + causes + '.' + (doubt.empty() ? "" : " ") + doubt;
}

Comparison compare_points(const ComparedPoint& a, const ComparedPoint& b) {
  Comparison c;
  const bool is_measured = a.measured_ms > 0.0 && b.measured_ms > 0.0;
  const double ms_a = is_measured ? a.measured_ms : predict(*a.facts, a.gpu).ms;
  const double ms_b = is_measured ? b.measured_ms : predict(*b.facts, b.gpu).ms;
  c.swapped = ms_b < ms_a;
  const ComparedPoint& fast = c.swapped ? b : a;
  const ComparedPoint& slow = c.swapped ? a : b;
  add_factors(fast, slow, c);
  if (is_measured) {
    c.measured = slow.measured_ms / fast.measured_ms;
    c.rest = c.measured / c.predicted;
    c.explained = std::fabs(std::log(c.rest)) <= std::log(kExplainedRest);
  }
  name_factors(c);
  put_into_words(fast, slow, c);
  return c;
}

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
