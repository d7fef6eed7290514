#include "clock/trace.h"

#include "insight/count/block_sample.h"
#include "insight/count/counters.h"
#include "problem/tr.h"
#include "ptx/sass/decode.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace tilestep::clock {
namespace {

using ptx::SassInstruction;
using ptx::SassOperand;

constexpr std::uint64_t kLineBytes = 128;
constexpr std::uint64_t kSectorBytes = 32;

// Names that are not here are of the ALU, or of the uniform datapath if they begin with U.
constexpr std::pair<std::string_view, Unit> kUnits[] = {
    {"FFMA", Unit::Fma},         {"FADD", Unit::Fma},
    {"FMUL", Unit::Fma},         {"IMAD", Unit::FmaHeavy},
    {"HFMA2", Unit::FmaHeavy},   {"HMMA", Unit::Tensor},
    {"MUFU", Unit::Special},     {"I2F", Unit::Special},
    {"F2I", Unit::Special},      {"S2R", Unit::Special},
    {"S2UR", Unit::Special},     {"R2UR", Unit::Special},
    {"LDS", Unit::SharedLoad},   {"STS", Unit::SharedStore},
    {"LDG", Unit::GlobalLoad},   {"LDL", Unit::GlobalLoad},
    {"ATOMG", Unit::GlobalLoad}, {"STG", Unit::GlobalStore},
    {"STL", Unit::GlobalStore},  {"LDGSTS", Unit::AsyncCopy},
    {"LDC", Unit::Constant},     {"BAR", Unit::Barrier},
    {"BRA", Unit::Branch},       {"CALL", Unit::Branch},
    {"BSYNC", Unit::Branch},     {"LDGDEPBAR", Unit::CopyGroup},
    {"DEPBAR", Unit::CopyWait},  {"EXIT", Unit::Exit},
    {"NOP", Unit::Other},        {"BSSY", Unit::Other},
    {"WARPSYNC", Unit::Other},   {"MEMBAR", Unit::Other},
    {"ERRBAR", Unit::Other},     {"CGAERRBAR", Unit::Other},
    {"CCTL", Unit::Other},       {"YIELD", Unit::Other},
    {"BREAK", Unit::Other},      {"SHFL", Unit::Special},
    {"POPC", Unit::Special},     {"BREV", Unit::Special},
    {"REDG", Unit::GlobalStore}, {"ATOMS", Unit::SharedStore},
};

Unit unit_of(std::string_view name) {
  const auto* const found =
      std::ranges::find(kUnits, name, &std::pair<std::string_view, Unit>::first);
  return found != std::end(kUnits) ? found->second
         : name.starts_with('U')   ? Unit::Uniform
                                   : Unit::Alu;
}

bool is_never_executed(const SassInstruction& instruction) {
  return instruction.guard == ptx::kTruePredicate && instruction.guard_is_negated;
}

bool reads_clock(const SassInstruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const SassOperand& operand) {
    const ptx::SassSpecial* const special = operand.kind == SassOperand::Kind::Special
                                                ? ptx::find_sass_special(operand.value)
                                                : nullptr;
    return special != nullptr && std::string_view(special->name) == "SR_CLOCKLO";
  });
}

CodedInstruction coded(const SassInstruction& instruction, std::uint32_t line) {
  CodedInstruction result;
  result.unit = unit_of(instruction.name);
  result.stall = instruction.stall;
  result.result_board = instruction.result_board;
  result.operand_board = instruction.operand_board;
  result.awaited_boards = instruction.awaited_boards;
  result.is_wide = instruction.has(".128") || instruction.has(".WIDE");
  result.bypasses_l1 = instruction.has(".BYPASS");
  result.line = line;
  result.text = instruction.text();
  result.prefers_others = instruction.prefers_others;
  result.reads_clock = reads_clock(instruction);
  if (!instruction.operands.empty() &&
      instruction.operands.front().kind == SassOperand::Kind::Register) {
    result.destination = instruction.operands.front().index;
  }
  std::size_t source = 0;
  for (std::size_t k = 1; k < instruction.operands.size(); ++k) {  // after the destination
    const SassOperand& operand = instruction.operands[k];
    const bool is_register = operand.kind == SassOperand::Kind::Register;
    if (is_register && source < result.sources.size()) {
      result.kept |= static_cast<std::uint8_t>(operand.is_kept ? 1U << source : 0U);
      result.sources[source] = operand.index;
    }
    const bool is_number = is_register || operand.kind == SassOperand::Kind::Immediate ||
                           operand.kind == SassOperand::Kind::Float ||
                           operand.kind == SassOperand::Kind::Uniform ||
                           operand.kind == SassOperand::Kind::Constant;
    source += is_number ? 1 : 0;
  }
  for (const SassOperand& operand : instruction.operands) {
    const bool is_number = operand.kind == SassOperand::Kind::Immediate;
    if (is_number && result.unit == Unit::CopyWait) {
      result.groups = static_cast<std::uint8_t>(operand.value);
    } else if (is_number && result.unit == Unit::Barrier) {
      result.barrier = static_cast<std::uint8_t>(operand.value & 15);
      break;
    }
  }
  return result;
}

// The lines of global memory that a request accesses, by address.
std::vector<std::pair<std::uint64_t, std::uint8_t>> lines_of(const simt::MemoryEvent& event) {
  std::vector<std::pair<std::uint64_t, std::uint8_t>> lines;
  simt::for_each_lane(event.mask, [&](std::uint32_t lane) {
    const std::uint64_t last = (event.addresses[lane] + event.bytes - 1) / kSectorBytes;
    for (std::uint64_t sector = event.addresses[lane] / kSectorBytes; sector <= last; ++sector) {
      const auto bit = static_cast<std::uint8_t>(1U << (sector % 4));
      const auto at = std::ranges::find(lines, sector / 4, [](const auto& l) { return l.first; });
      if (at == lines.end()) {
        lines.emplace_back(sector / 4, bit);
      } else {
        at->second |= bit;
      }
    }
  });
  std::ranges::sort(lines);
  return lines;
}

}  // namespace

// Writes down what the warps of a block do.
class Tracer::Recorder final : public simt::Observer {
 public:
  Recorder(Tracer& tracer, BlockTrace& trace) : tracer_(tracer), trace_(trace) {}

  [[nodiscard]] bool wants_steps() const override { return true; }

  void before_step(const simt::StepInfo& info) override {
    const ptx::Function& function = tracer_.program_->module().functions[info.function];
    const std::uint32_t index = function.machine_code[info.pc];
    if (index == ptx::kNoPc) {
      return;
    }
    ++steps_;
    std::vector<TraceStep>& steps = trace_.warps[info.id.warp].steps;
    if (!steps.empty() && steps.back().instruction + 1 != index - tracer_.padding_[index]) {
      steps.back().is_taken = true;
    }
    for (std::uint32_t k = tracer_.padding_[index]; k > 0; --k) {
      steps.push_back({.instruction = index - k, .is_executed = false});
    }
    steps.push_back({.instruction = index, .is_executed = info.mask != 0});
  }

  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    WarpTrace& warp = trace_.warps[info.id.warp];
    const bool is_counted = event.space == ptx::Space::Global ||
                            event.space == ptx::Space::Shared || event.space == ptx::Space::Local;
    if (!is_counted || warp.steps.empty()) {
      return;
    }
    TraceStep& step = warp.steps.back();
    const CodedInstruction& code = tracer_.code_[step.instruction];
    if (!is_memory(code.unit)) {
      return;
    }
    if (code.unit == Unit::AsyncCopy && event.kind == simt::AccessKind::Store) {
      if (event.is_issue) {  // of the copy whose load was just reported
        add_store(warp, step, event);
      }
      return;
    }
    step.request = static_cast<std::uint32_t>(warp.requests.size());
    warp.requests.push_back(tracer_.request(step.instruction, event));
  }

  // Only barriers of all warps are modelled.
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override {
    if (event.action == simt::BarrierAction::Arrive && !event.whole_block) {
      const ptx::Function& function = tracer_.program_->module().functions[info.function];
      partial_barrier_ = ptx::statement_line(function, info.pc);
    }
  }

  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  // The line of a barrier for a part of the block; nullopt: there is none.
  [[nodiscard]] std::optional<std::uint32_t> partial_barrier() const { return partial_barrier_; }

 private:
  void add_store(WarpTrace& warp, const TraceStep& step, const simt::MemoryEvent& event) {
    if (step.request == kNoRequest) {
      return;
    }
    Request& request = warp.requests[step.request];
    RequestShape shape = tracer_.shapes_[request.shape];
    shape.stored_passes = insight::count_wavefronts(event);
    request.shape = tracer_.shape_number(std::move(shape));
  }

  Tracer& tracer_;
  BlockTrace& trace_;
  std::uint64_t steps_ = 0;
  std::optional<std::uint32_t> partial_barrier_;
};

Result<Tracer> Tracer::make(const loading::Kernel& kernel,
                            std::shared_ptr<const simt::Program> program) {
  if (kernel.cubin == nullptr) {
    return fail(tr("Time is estimated only for machine code. Choose the build 'machine code'."));
  }
  const auto decoded = ptx::decode_sass(kernel.cubin->code, kernel.cubin->architecture);
  TILESTEP_RETURN_IF_ERROR(decoded);
  Tracer tracer(std::move(program));
  std::uint32_t padding = 0;
  for (std::size_t i = 0; i < decoded->size(); ++i) {
    const std::vector<std::uint32_t>& lines = kernel.cubin->lines;
    const SassInstruction& instruction = (*decoded)[i];
    tracer.code_.push_back(coded(instruction, i < lines.size() ? lines[i] : 0));
    const bool is_padding = is_never_executed(instruction) && instruction.name == "LDS";
    tracer.padding_.push_back(is_padding ? 0 : padding);
    padding = is_padding ? padding + 1 : 0;
  }
  tracer.known_.resize(tracer.code_.size());
  return tracer;
}

Result<BlockTrace> Tracer::trace(std::uint32_t block, const std::atomic<bool>* cancel) {
  constexpr std::uint64_t kMostSteps = 20'000'000;
  BlockTrace trace;
  trace.block = block;
  trace.warps.resize(program_->warps_per_block());
  Recorder recorder(*this, trace);
  insight::BlockRun run(program_, block);
  const auto is_cancelled = [&] { return cancel != nullptr && cancel->load(); };
  if (!run.to_end(&recorder, [&] { return recorder.steps() > kMostSteps || is_cancelled(); })) {
    if (is_cancelled()) {
      return tl::unexpected(Error{});
    }
    return fail(recorder.steps() > kMostSteps
                    ? tr("A block executes more than {} million instructions. Choose a smaller "
                         "problem.",
                         kMostSteps / 1'000'000)
                    : tr("The warps of a block wait for each other forever, or for another block, "
                         "so the time cannot be estimated."));
  }
  const bool has_idle_warp =
      std::ranges::any_of(trace.warps, [](const WarpTrace& warp) { return warp.steps.empty(); });
  if (run.machine().block_status(block) != simt::BlockStatus::Ended || has_idle_warp) {
    return fail(tr("The block stops at a fault before its end: its time cannot be estimated."));
  }
  if (const auto line = recorder.partial_barrier()) {
    return fail(
        tr("The barrier at line {} is for only part of the block, so the time cannot be estimated.",
           *line));
  }
  return trace;
}

Request Tracer::request(std::uint32_t instruction, const simt::MemoryEvent& event) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(event.mask));
  const std::uint64_t base = event.addresses[first];
  Known now;
  now.mask = event.mask;
  now.bytes = event.bytes;
  now.start = base % kLineBytes;
  simt::for_each_lane(event.mask, [&](std::uint32_t lane) {
    now.distance[lane] = static_cast<std::int64_t>(event.addresses[lane] - base);
  });
  const bool is_shared = event.space == ptx::Space::Shared;
  const auto at = [&](const Known& known) {
    return Request{is_shared ? 0 : base / kLineBytes + static_cast<std::uint64_t>(known.first_line),
                   known.shape};
  };
  std::vector<Known>& known = known_[instruction];
  for (const Known& one : known) {
    if (one.mask == now.mask && one.start == now.start && one.bytes == now.bytes &&
        one.distance == now.distance) {
      return at(one);
    }
  }
  RequestShape shape;
  shape.passes = insight::count_wavefronts(event);
  if (!is_shared) {
    const auto lines = lines_of(event);
    for (const auto& [line, sectors] : lines) {
      shape.lines.push_back({static_cast<std::int32_t>(line - lines.front().first), sectors});
    }
    now.first_line = static_cast<std::int64_t>(lines.front().first - base / kLineBytes);
  }
  now.shape = shape_number(std::move(shape));
  constexpr std::size_t kMost = 64;
  if (known.size() == kMost) {
    known.erase(known.begin());
  }
  known.push_back(now);
  return at(now);
}

std::uint32_t Tracer::shape_number(RequestShape shape) {
  const auto found = std::ranges::find(shapes_, shape);
  const auto number = static_cast<std::uint32_t>(found - shapes_.begin());
  if (found == shapes_.end()) {
    shapes_.push_back(std::move(shape));
  }
  return number;
}

}  // namespace tilestep::clock
