#include "clock/sm_measured.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::clock {
namespace {

constexpr double kBytesOfSector = 32;

double tenths(double value) {
  return std::round(10.0 * value) / 10.0;
}
double thousandths(double value) {
  return std::round(1000.0 * value) / 1000.0;
}

// Clocks of a barrier by warps: a straight line by least squares.
struct BarrierLine {
  double fixed = 0;
  double of_warp = 0;
};
BarrierLine barrier_line(const std::vector<std::pair<int, double>>& barriers) {
  const auto count = static_cast<double>(barriers.size());
  double warps = 0;
  double clocks = 0;
  double squares = 0;
  double products = 0;
  for (const auto& [w, c] : barriers) {
    warps += w;
    clocks += c;
    squares += static_cast<double>(w) * w;
    products += w * c;
  }
  const double slope = (count * products - warps * clocks) / (count * squares - warps * warps);
  return {(clocks - slope * warps) / count, slope};
}

// The first clocks that cannot be; empty: all can.
std::string impossible(const MeasuredClocks& c) {
  const std::pair<const char*, double> all[] = {{"shared_chain", c.shared_chain.front()},
                                                {"l1_chain", c.l1_chain},
                                                {"l2_chain", c.l2_chain - c.l1_chain},
                                                {"dram_chain", c.dram_chain - c.l2_chain},
                                                {"constant_chain", c.constant_chain},
                                                {"special_chain", c.special_chain},
                                                {"shared_rate", c.shared_rate},
                                                {"store_rate", c.store_rate},
                                                {"sector_rate", c.sector_rate},
                                                {"line_rate", c.line_rate - c.sector_rate},
                                                {"ffma_rate", c.ffma_rate},
                                                {"imad_rate", c.imad_rate},
                                                {"shift_rate", c.shift_rate}};
  for (const auto& [name, clocks] : all) {
    if (!(clocks > 0) || !std::isfinite(clocks)) {
      return name;
    }
  }
  const bool has_barriers = c.barriers.size() >= 2 && std::ranges::all_of(c.barriers, [](auto& b) {
                              return b.second > 0 && std::isfinite(b.second);
                            });
  return has_barriers ? "" : "barriers";
}

class Measurer {
 public:
  explicit Measurer(SmTable table) : table_(std::move(table)) {}

  void set(double SmNumbers::*number, double value, std::string source) {
    const auto fields = sm_fields();
    const auto field =
        std::ranges::find_if(fields, [&](const SmField& one) { return one.number == number; });
    const auto place = static_cast<std::size_t>(field - fields.begin());
    table_.numbers.*number = value;
    table_.origins[place] = Origin::Measured;
    table_.sources[place] = std::move(source);
  }
  [[nodiscard]] SmTable take() { return std::move(table_); }

 private:
  SmTable table_;
};

}  // namespace

Result<SmTable> measured_table(const MeasuredClocks& c, const MeasuredGpu& gpu,
                               const SmTable& nearest) {
  if (gpu.architecture != nearest.architecture) {
    return fail(
        tr("{} has compute capability {}.{}. The SM model is for {}.{}: measure a GPU with that "
           "capability.",
           gpu.name, gpu.architecture / 10, gpu.architecture % 10, nearest.architecture / 10,
           nearest.architecture % 10));
  }
  if (const std::string name = impossible(c); !name.empty()) {
    return fail(
        tr("The measurement of {} cannot be right: its cycle count is 0, or less than that of a "
           "part of it. Run the command again, with nothing else on the GPU.",
           name));
  }
  SmTable table = nearest;
  table.gpu = gpu.name;
  table.sms = gpu.sms;
  table.provenance = gpu.provenance;
  table.error = {};
  for (std::string& source : table.sources) {
    source = fmt::format("taken over from {}{}{}", nearest.gpu, source.empty() ? "" : ": ", source);
  }
  const double queue = nearest.numbers.queue_delay;
  const BarrierLine barrier = barrier_line(c.barriers);
  const double sector = (c.line_rate - c.sector_rate) / 3.0;  // a line has three more
  const auto in_queue = [&](const char* what, double clocks) {
    return fmt::format("chain of {}: {:.1f} clocks, of which the queue takes {:g}", what, clocks,
                       queue);
  };
  using N = SmNumbers;
  Measurer measurer(std::move(table));
  measurer.set(&N::shared_load, tenths(c.shared_chain.front() - queue),
               in_queue("LDS", c.shared_chain.front()));
  measurer.set(&N::l1_hit, tenths(c.l1_chain - queue), in_queue("LDG over 64 KiB", c.l1_chain));
  measurer.set(&N::l2_hit, tenths(c.l2_chain - queue), in_queue("LDG over 4 MiB", c.l2_chain));
  measurer.set(
      &N::dram, tenths(c.dram_chain - c.l2_chain),
      fmt::format("chain of LDG that finds nothing in L2: {:.1f} clocks, {:.1f} of them L2",
                  c.dram_chain, c.l2_chain));
  measurer.set(
      &N::constant_load, tenths(c.constant_chain),
      fmt::format("chain of LDC with an address in a register: {:.1f} clocks", c.constant_chain));
  measurer.set(&N::special, tenths(c.special_chain - queue), in_queue("MUFU", c.special_chain));
  const std::string bars = fmt::format(
      "bar.sync of blocks of {} to {} warps: {:.1f} + {:.2f} clocks "
      "for each warp",
      c.barriers.front().first, c.barriers.back().first, barrier.fixed, barrier.of_warp);
  measurer.set(&N::barrier, tenths(barrier.fixed), bars);
  measurer.set(&N::barrier_arrival, thousandths(barrier.of_warp), bars);
  measurer.set(&N::shared_gap, thousandths(c.shared_rate),
               fmt::format("LDS by 16 warps: {:.3f} clocks each", c.shared_rate));
  measurer.set(
      &N::global_store, tenths(c.store_rate),
      fmt::format("stores of 8 bytes by a lane of 16 warps: {:.2f} clocks each", c.store_rate));
  const std::string lines = fmt::format(
      "loads by all SMs that miss L1: {:.2f} clocks for a line of 4 sectors, {:.2f} for one sector",
      c.line_rate, c.sector_rate);
  measurer.set(&N::l2_bytes, tenths(kBytesOfSector / sector), lines);
  measurer.set(&N::l2_line, thousandths(c.sector_rate - sector), lines);
  return measurer.take();
}

std::vector<RuleCheck> check_rules(const MeasuredClocks& c) {
  const double steps = 31;  // from 1 to 32 lanes of a bank
  return {{tr("SM cycles per FFMA"), 0.25, c.ffma_rate},
          {tr("SM cycles per IMAD"), 0.5, c.imad_rate},
          {tr("SM cycles per SHF"), 0.5, c.shift_rate},
          {tr("cycles per additional word of a bank, LDS chain"), 2.0,
           (c.shared_chain.back() - c.shared_chain.front()) / steps}};
}

}  // namespace tilestep::clock
