#include "analysis/next_rung.h"

#include "analysis/prediction.h"
#include "analysis/words.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace tilestep::analysis {
namespace {

constexpr double kSmallChange = 0.02;  // of the previous amount
constexpr double kSmallTime = 0.005;   // of the launch's time
constexpr std::size_t kShownRemoved = 3;
constexpr std::size_t kShownAdded = 2;

// A launch in numbers that can be compared with those of another kernel: totals of the whole
// launch.
struct Totals {
  double conflicts = 0.0;
  double passes = 0.0;  // through shared memory, without conflicts
  double global_passes = 0.0;
  double sectors = 0.0;
  double waits = 0.0;
  double barriers = 0.0;
  double instructions = 0.0;
  double stalls = 0.0;  // of lone warps, for results and shared memory
  double port_waits = 0.0;
  double matrix_products = 0.0;
  double idle = 0.0;  // share of the time in which the average SM has no block
  double resident_warps = 1.0;
};

Totals totals_of(const LaunchFacts& facts, const GpuModel& gpu) {
  Totals all;
  const Terms t = terms_of(facts, gpu);
  // Terms are for each multiply-add, if all lanes worked.
  const double launch = t.multiply_adds / t.working_lanes;
  const insight::Traffic shared = facts.cost.shared();
  all.conflicts = static_cast<double>(shared.conflicts);
  all.passes = static_cast<double>(shared.wavefronts - shared.conflicts);
  all.global_passes = launch * t.global_passes;
  all.sectors = t.multiply_adds * t.l2_sectors;
  all.waits = launch * t.memory_waits;
  all.barriers = launch * t.barriers;
  all.instructions = launch * t.warp_instructions;
  all.stalls = std::max(0.0, launch * t.lone_clocks - all.instructions);
  all.port_waits = launch * t.port_waits;
  all.matrix_products = launch * t.matrix_products;
  all.idle = 1.0 - t.balance;
  all.resident_warps = t.resident_warps;
  return all;
}

struct Quantity {
  Message of_what;
  Message unit;
  double Totals::*total;
  // Clocks of an SM for one unit; while a warp waits, others of the SM continue.
  double clocks;
  bool is_wait;
};

constexpr double kClocksOfSlot = 1.0 / kSlotsInAClock;
constexpr std::array kQuantities{
    Quantity{Message("bank conflicts"), Message("passes"), &Totals::conflicts, 1.0, false},
    Quantity{Message("other passes through shared memory"), Message("passes"), &Totals::passes, 1.0,
             false},
    Quantity{Message("passes of global accesses through L1"), Message("passes"),
             &Totals::global_passes, 1.0, false},
    Quantity{Message("waits for global memory"), Message("warp waits"), &Totals::waits, kClocksOfL2,
             true},
    Quantity{Message("barriers"), Message("warp arrivals"), &Totals::barriers, 1.0, false},
    Quantity{Message("instructions"), Message("issued by warps"), &Totals::instructions,
             kClocksOfSlot, false},
    Quantity{Message("waits for shared memory and results"), Message("cycles of one warp"),
             &Totals::stalls, 1.0, true},
    Quantity{Message("waits for registers"), Message("issue slots"), &Totals::port_waits,
             kClocksOfSlot, false}};

double ms_of(const Quantity& quantity, double difference, const Totals& of, const GpuModel& gpu) {
  const double clocks = std::fabs(difference) * quantity.clocks / gpu.sms /
                        (quantity.is_wait ? of.resident_warps : 1.0);
  return clocks * 1e-3 / gpu.sm_clock_mhz;
}

std::string count(double value) {
  return grouped(static_cast<std::uint64_t>(std::llround(value)));
}

std::string change_text(const Change& change) {
  const double largest = std::max(change.before, change.after);
  const double share = 100.0 * std::fabs(change.before - change.after) /
                       (change.is_removed() ? change.before : largest);
  if (change.is_removed()) {
    return change.unit == "%" ? tr("{:.0f}% of the {} ({:.1f} → {:.1f}%)", share, change.of_what,
                                   100.0 * change.before, 100.0 * change.after)
                              : tr("{:.0f}% of the {} ({} → {} {})", share, change.of_what,
                                   count(change.before), count(change.after), change.unit);
  }
  return change.unit == "%" ? tr("{} ({:.1f} → {:.1f}%)", change.of_what, 100.0 * change.before,
                                 100.0 * change.after)
                            : tr("{} ({} → {} {})", change.of_what, count(change.before),
                                 count(change.after), change.unit);
}

std::string joined_changes(const std::vector<Change>& all, bool removed, std::size_t most) {
  std::string text;
  for (const Change& change : all) {
    if (change.is_removed() == removed && most > 0) {
      text = text.empty() ? change_text(change) : tr("{}; {}", text, change_text(change));
      --most;
    }
  }
  return text;
}

std::string needs_text(const LaunchFacts& facts, const LaunchFacts& next) {
  if (!facts.needs || !next.needs) {
    return "";
  }
  const insight::BlockNeeds& a = *facts.needs;
  const insight::BlockNeeds& b = *next.needs;
  const std::string registers =
      a.registers == b.registers
          ? tr("the same number of registers ({} per thread)", a.registers)
          : tr("{} registers per thread instead of {}", b.registers, a.registers);
  const std::string shared =
      a.shared_bytes == b.shared_bytes
          ? tr("the same amount of shared memory ({} bytes per block)", a.shared_bytes)
          : tr("{} bytes of shared memory per block instead of {}", b.shared_bytes, a.shared_bytes);
  return tr("It needs {} and {}.", registers, shared);
}

}  // namespace

std::vector<Change> changes(const LaunchFacts& facts, const LaunchFacts& next,
                            const GpuModel& gpu) {
  const Totals a = totals_of(facts, gpu);
  const Totals b = totals_of(next, gpu);
  const double small = kSmallTime * predict(facts, gpu).ms;
  std::vector<Change> all;
  const auto add = [&](Change change) {
    const double largest = std::max(change.before, change.after);
    if (std::fabs(change.before - change.after) >= kSmallChange * largest && change.ms > small) {
      all.push_back(std::move(change));
    }
  };
  for (const Quantity& quantity : kQuantities) {
    const double before = a.*quantity.total;
    const double after = b.*quantity.total;
    add({quantity.of_what.text(), quantity.unit.text(), before, after,
         ms_of(quantity, before - after, after < before ? a : b, gpu)});
  }
  if (gpu.l2_gb_s > 0.0) {
    add({tr("sectors from L2"), tr("of 32 bytes"), a.sectors, b.sectors,
         std::fabs(a.sectors - b.sectors) * kSectorBytes / gpu.l2_gb_s * 1e-6});
  }
  add({tr("idle time of the last wave"), "%", a.idle, b.idle,
       std::fabs(a.idle - b.idle) * predict(facts, gpu).ms});
  std::ranges::stable_sort(all, std::ranges::greater{}, &Change::ms);
  return all;
}

std::string changes_text(const std::string& title_of_next, const LaunchFacts& facts,
                         const LaunchFacts& next, const GpuModel& gpu) {
  const std::vector<Change> all = changes(facts, next, gpu);
  const std::string removed = joined_changes(all, true, kShownRemoved);
  const std::string added = joined_changes(all, false, kShownAdded);
  std::string text;
  if (!removed.empty()) {
    text = tr("{} removes {}.", title_of_next, removed);
  } else {
    text = tr("{} removes none of the costs counted here.", title_of_next);
  }
  if (next.schedule.matrix_products > 0.0 && facts.schedule.matrix_products == 0.0) {
    text += " " + tr("Its products run on tensor cores ({} matrix products instead of {} warp-wide "
                     "products).",
                     count(totals_of(next, gpu).matrix_products),
                     count(facts.schedule.products * std::ceil(facts.threads / 32.0) *
                           static_cast<double>(facts.blocks)));
  }
  if (!added.empty()) {
    text += " " + tr("It adds {}.", added);
  }
  const std::string needs = needs_text(facts, next);
  return needs.empty() ? text : text + " " + needs;
}

std::string ceiling_text(const LaunchFacts& facts, double measured_ms, const GpuModel& gpu) {
  const Prediction prediction = predict(facts, gpu);
  const Bound& first = prediction.bounds.front();
  const double total = measured_ms > 0.0 ? measured_ms : prediction.ms;
  std::string text =
      tr("This is the last kernel of the ladder. Its main limit: {}, {:.3g} of {:.3g} ms.",
         word_of(first.resource).label, std::min(first.ms, total), total);
  const auto tensor = std::ranges::find(prediction.bounds, Resource::TensorCores, &Bound::resource);
  if (tensor != prediction.bounds.end()) {
    return text + " " +
           tr("Its tensor-core products alone would take {:.3g} ms, {:.0f}% of the total.",
              tensor->ms, 100.0 * tensor->ms / total);
  }
  const double products = gpu.peak_gflops > 0.0 ? 1e-6 * facts.flops / gpu.peak_gflops : 0.0;
  return products <= 0.0 ? text
                         : text + " " +
                               tr("Its multiply-adds alone would take {:.3g} ms at the GPU's peak, "
                                  "{:.0f}% of the total.",
                                  products, 100.0 * products / total);
}

}  // namespace tilestep::analysis
