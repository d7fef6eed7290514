#include "analysis/why.h"

#include "analysis/next_rung.h"
#include "analysis/words.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace tilestep::analysis {
namespace {

constexpr int kWarpSize = 32;
constexpr double kSmallLoss = 0.02;  // of the time: too small for a warning
constexpr double kHalf = 0.5;        // of the warps, enough for most kernels

// A loss too small for a warning gets no tick either.
Loss loss_of(double lost, double small) {
  constexpr double kNothing = 1e-9;
  return lost <= kNothing ? Loss::Nothing : lost < small ? Loss::Neither : Loss::Some;
}

double multiply_adds(const LaunchFacts& facts) {
  return facts.flops / 2.0;
}

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

double bytes(const LineAccesses& accesses) {
  return kSectorBytes * static_cast<double>(accesses.sectors) +
         kWavefrontBytes * static_cast<double>(accesses.wavefronts);
}

void add_occupancy(const LaunchFacts& facts, const GpuModel& gpu, std::vector<Remark>& all) {
  const std::optional<insight::Architecture> sm = sm_of(gpu);
  if (!sm || !facts.needs) {
    return;
  }
  const insight::Occupancy o = insight::occupancy(*facts.needs, *sm);
  all.push_back({loss_of(1.0 - o.share(), kHalf), tr("occupancy {:.0f}%", 100.0 * o.share()),
                 tr("{} {} registers per thread, {} bytes of shared memory per block.",
                    insight::explain(o, *sm), o.needs.registers, o.needs.shared_bytes)});
}

void add_waves(const LaunchFacts& facts, const Prediction& prediction, const GpuModel& gpu,
               std::vector<Remark>& all) {
  const double lost = 1.0 - prediction.balance;
  all.push_back({loss_of(lost, kSmallLoss), tr("waves"),
                 tr("{}, {} at once on each of {} SMs: {:.1f} waves. The busiest SM gets {}, the "
                    "average SM {:.1f}: the tail costs {:.1f}%.",
                    plural(facts.blocks, "block"), prediction.blocks_of_sm, gpu.sms,
                    prediction.waves, prediction.blocks_of_busiest_sm,
                    static_cast<double>(facts.blocks) / gpu.sms, 100.0 * lost)});
}

void add_estimate(const LaunchFacts& facts, std::vector<Remark>& all) {
  if (facts.is_estimate) {
    all.push_back({Loss::Neither, tr("estimate"),
                   tr("These counts are from a sample of the blocks (±{:.1f}%): it could not be "
                      "proved which blocks are equivalent.",
                      100.0 * facts.error)});
  }
}

void add_coalescing(const insight::Cost& cost, std::vector<Remark>& all) {
  const insight::Traffic& loads = cost.global_loads;
  if (loads.requests == 0) {
    return;
  }
  const double sectors = ratio(loads.sectors, loads.requests);
  const double ideal = ratio(loads.ideal_sectors, loads.requests);
  all.push_back({loss_of(1.0 - ideal / sectors, kSmallLoss), tr("global loads"),
                 tr("{:.2f} sectors of 32 bytes per request; {:.2f} would be enough for "
                    "the requested bytes.",
                    sectors, ideal)});
}

void add_banks(const insight::Cost& cost, std::vector<Remark>& all) {
  const insight::Traffic shared = cost.shared();
  if (shared.requests == 0) {
    return;
  }
  if (shared.conflicts == 0) {
    all.push_back({Loss::Nothing, tr("shared memory"),
                   tr("{:.2f} passes per request, no bank conflicts.",
                      ratio(shared.wavefronts, shared.requests))});
    return;
  }
  all.push_back({Loss::Some, tr("bank conflicts"),
                 tr("{:.2f} passes per request. {:.0f}% of all passes are due to bank conflicts: "
                    "lanes access different words of one bank, at worst {} words.",
                    ratio(shared.wavefronts, shared.requests),
                    100.0 * ratio(shared.conflicts, shared.wavefronts), shared.degree)});
}

std::string loads_each(const LaunchFacts& facts) {
  const double work = multiply_adds(facts);
  return tr("{:.3g} words from shared and {:.3g} from global memory",
            static_cast<double>(facts.cost.shared_loads.elements) / work,
            static_cast<double>(facts.cost.global_loads.elements) / work);
}

void add_loads(const LaunchFacts& facts, std::vector<Remark>& all) {
  const double loads =
      static_cast<double>(facts.cost.shared_loads.elements + facts.cost.global_loads.elements) /
      multiply_adds(facts);
  all.push_back({loads < 1.0 ? Loss::Neither : Loss::Some, tr("loads per multiply-add"),
                 loads_each(facts) + "."});
}

bool is_plural(Resource resource) {
  return resource == Resource::Issue || resource == Resource::TensorCores ||
         resource == Resource::SharedMemory;
}

// The accuracy of the model (docs/insight/model.md): a lower bound may exceed the measurement by
// this much.
constexpr double kModelError = 0.1;

bool is_refuted(const Bound& bound, const Subject& subject) {
  return subject.measured_ms > 0.0 && bound.ms > (1.0 + kModelError) * subject.measured_ms;
}

void add_ceiling(const Subject& subject, const Prediction& prediction, std::vector<Remark>& all) {
  const Bound& first = prediction.bounds.front();
  std::string second;
  if (prediction.bounds.size() > 1) {
    const Bound& bound = prediction.bounds[1];
    second = tr("; {} alone would take {:.3g} ms", word_of(bound.resource).label, bound.ms);
  }
  const std::string measured =
      subject.measured_ms > 0.0 ? tr("; measured: {:.3g} ms", subject.measured_ms) : "";
  const Message name = word_of(first.resource).label;
  if (is_refuted(first, subject)) {
    all.push_back({Loss::Neither, name.text(),
                   tr("The model predicts at least {:.3g} ms, but {:.3g} ms were measured: the "
                      "model does not hold for this kernel.",
                      first.ms, subject.measured_ms)});
    return;
  }
  all.push_back({Loss::Neither,
                 is_plural(first.resource) ? tr("{} are the bottleneck", name)
                                           : tr("{} is the bottleneck", name),
                 tr("At least {:.3g} ms{}. The model predicts {:.3g} ms in total{}.", first.ms,
                    second, prediction.ms, measured)});
}

void add_costliest(const LaunchFacts& facts, std::vector<Remark>& all) {
  const std::optional<LineTraffic> line = costliest_line(facts);
  if (!line) {
    return;
  }
  const double share = 100.0 * line->share;
  const char* const memory =
      tr(line->target == insight::kSharedTarget ? "shared memory" : "global memory");
  all.push_back(
      {Loss::Neither, tr("line {}", line->line),
       line->kind == simt::AccessKind::Load    ? tr("{:.0f}% of the traffic through L1 and shared "
                                                       "memory is due to this line's loads from {}.",
                                                    share, memory)
       : line->kind == simt::AccessKind::Store ? tr("{:.0f}% of the traffic through L1 and shared "
                                                    "memory is due to this line's stores to {}.",
                                                    share, memory)
                                               : tr("{:.0f}% of the traffic through L1 and shared "
                                                    "memory is due to this line's atomics on {}.",
                                                    share, memory)});
}

void add_ports(const LaunchFacts& facts, const GpuModel& gpu, std::vector<Remark>& all) {
  const insight::WarpSchedule& s = facts.schedule;
  const double products = s.products + s.matrix_products;
  if (products <= 0.0 || s.register_reads <= 0.0) {
    return;
  }
  // The share of the launch's issue slots that wait.
  const double lost = s.port_waits / (s.instructions + s.port_waits);
  const double each = s.register_reads / products;
  const bool binds = gpu.is_known() && predict(facts, gpu).binding() == Resource::Issue;
  const Loss loss = s.port_waits <= 0.0 ? Loss::Nothing
                    : binds             ? loss_of(lost, kSmallLoss)
                                        : Loss::Neither;
  if (s.matrix_products > s.products) {
    all.push_back({loss, tr("register ports"),
                   tr("A matrix product reads {:.1f} registers at two per cycle: {:.0f}% of the "
                      "issue slots wait for a register read.",
                      each, 100.0 * lost)});
    return;
  }
  all.push_back(
      {loss, tr("register ports"),
       tr("{:.0f}% of the products wait a cycle for a register read: {:.2f} reads each, {:.0f}% of "
          "them from even-numbered registers; the two banks serve two reads per cycle.",
          100.0 * s.port_waits / products, each, 100.0 * s.even_reads / s.register_reads)});
}

void add_next(const Subject& subject, const Subject& next, const GpuModel& gpu,
              std::vector<Remark>& all) {
  std::string text = gpu.is_known()
                         ? changes_text(next.title, *subject.facts, *next.facts, gpu)
                         : tr("{} needs {} per multiply-add.", next.title, loads_each(*next.facts));
  if (subject.measured_ms > 0.0 && next.measured_ms > 0.0) {
    const double gain = subject.measured_ms / next.measured_ms;
    text += " " + (gain >= 1.0 ? tr("Measured: {:.2f} times as fast.", gain)
                               : tr("Measured: {:.2f} times as long.", 1.0 / gain));
  }
  all.push_back({Loss::Neither, tr("next kernel"), text});
}

}  // namespace

std::string leading_reason(const Subject& subject, const GpuModel& gpu) {
  if (!gpu.is_known()) {
    return "";
  }
  const Prediction prediction = predict(*subject.facts, gpu);
  const Bound& first = prediction.bounds.front();
  const bool is_measured = subject.measured_ms > 0.0;
  std::string name = word_of(first.resource).label.text();
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  const double total = is_measured ? subject.measured_ms : prediction.ms;
  const std::string share = is_measured ? tr("{:.3g} of the {:.3g} ms", first.ms, total)
                                        : tr("{:.3g} of the predicted {:.3g} ms", first.ms, total);
  const std::string needs = loads_each(*subject.facts);
  if (is_refuted(first, subject)) {
    return tr(
        "The model does not explain these {:.3g} ms: it predicts at least {:.3g} ms, limited by "
        "{}. A multiply-add needs {}.",
        total, first.ms, word_of(first.resource).label, needs);
  }
  if (is_measured && first.ms >= total) {
    return is_plural(first.resource)
               ? tr("{} take all of the {:.3g} ms. A multiply-add needs {}.", name, total, needs)
               : tr("{} takes all of the {:.3g} ms. A multiply-add needs {}.", name, total, needs);
  }
  return is_plural(first.resource)
             ? tr("{} take at least {}. A multiply-add needs {}.", name, share, needs)
             : tr("{} takes at least {}. A multiply-add needs {}.", name, share, needs);
}

std::optional<LineTraffic> costliest_line(const LaunchFacts& facts) {
  const auto most = std::ranges::max_element(
      facts.accesses, {}, [](const LineAccesses& accesses) { return bytes(accesses); });
  double sum = 0.0;
  for (const LineAccesses& accesses : facts.accesses) {
    sum += bytes(accesses);
  }
  if (sum == 0.0) {
    return std::nullopt;
  }
  return LineTraffic{most->line, most->target, most->kind, bytes(*most) / sum};
}

std::vector<Remark> remarks_on_shape(const problem::Parameters& parameters, int threads) {
  std::vector<Remark> all;
  const int warps = (threads + kWarpSize - 1) / kWarpSize;
  const int idle = warps * kWarpSize - threads;
  const std::string count = plural(static_cast<std::uint64_t>(warps), "warp");
  all.push_back({idle == 0 ? Loss::Nothing : Loss::Some, tr("threads per block"),
                 idle == 0 ? tr("{} in {}, no idle lane.", threads, count)
                           : tr("{} in {}: {} of {} lanes are idle.", threads, count, idle,
                                warps * kWarpSize)});
  if (parameters.block_size < 1) {  // the kernel has none
    return all;
  }
  const int size = parameters.problem.N;
  const int rest = size % parameters.block_size;
  all.push_back({rest == 0 ? Loss::Nothing : Loss::Some, tr("edge"),
                 rest == 0 ? tr("N = {} is {} whole tiles.", size, size / parameters.block_size)
                           : tr("N = {} is {:.2f} tiles: {:.0f}% of the last tile is padding.",
                                size, static_cast<double>(size) / parameters.block_size,
                                100.0 * (parameters.block_size - rest) / parameters.block_size)});
  return all;
}

std::vector<Remark> why(const Subject& subject, const Subject* next, const GpuModel& gpu,
                        const std::string& waits) {
  const LaunchFacts& facts = *subject.facts;
  std::vector<Remark> all;
  std::optional<Prediction> prediction;
  if (gpu.is_known()) {
    prediction = predict(facts, gpu);
    add_ceiling(subject, *prediction, all);
  }
  if (!waits.empty()) {
    all.push_back({Loss::Neither, tr("wait times on one SM"), waits});
  }
  add_costliest(facts, all);
  if (next != nullptr && next->facts != nullptr) {
    add_next(subject, *next, gpu, all);
  } else if (subject.is_last_rung && prediction) {
    all.push_back(
        {Loss::Neither, tr("last kernel"), ceiling_text(facts, subject.measured_ms, gpu)});
  }
  std::ranges::copy(remarks_on_shape(facts.parameters, facts.threads), std::back_inserter(all));
  add_estimate(facts, all);
  add_occupancy(facts, gpu, all);
  if (prediction) {
    add_waves(facts, *prediction, gpu, all);
  }
  add_coalescing(facts.cost, all);
  add_banks(facts.cost, all);
  add_loads(facts, all);
  add_ports(facts, gpu, all);
  return all;
}

}  // namespace tilestep::analysis
