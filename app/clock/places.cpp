#include "clock/places.h"

#include "clock/sm_table.h"
#include "loading/prepare.h"
#include "problem/tr.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace tilestep::clock {
namespace {

// What a step has in common with the machine code: the instruction, or the line.
struct Seen {
  std::uint64_t step = 0;
  std::uint32_t key = 0;
};

// The steps of each warp. `number`: the number of the step that this warp of the grid makes now.
class Collector final : public simt::Observer {
 public:
  using Number = std::function<std::uint64_t(std::size_t warp)>;
  Collector(const simt::Program& program, Number number)
      : program_(program),
        number_(std::move(number)),
        seen_(std::size_t{program.block_count()} * program.warps_per_block()) {}

  [[nodiscard]] bool wants_steps() const override { return true; }

  void before_step(const simt::StepInfo& info) override {
    const ptx::Module& module = program_.module();
    const ptx::Function& function = module.functions[info.function];
    const std::uint32_t key = module.is_machine_code ? function.machine_code[info.pc]
                                                     : ptx::statement_line(function, info.pc);
    const std::uint32_t none = module.is_machine_code ? ptx::kNoPc : 0;
    const std::size_t warp = std::size_t{info.id.block} * program_.warps_per_block() + info.id.warp;
    const std::uint64_t number = number_(warp);
    if (key != none) {
      seen_[warp].push_back({number, key});
    }
  }

  // By warp of the grid.
  [[nodiscard]] const std::vector<std::vector<Seen>>& seen() const { return seen_; }

 private:
  const simt::Program& program_;
  Number number_;
  std::vector<std::vector<Seen>> seen_;
};

// The places of a warp's steps: the n-th of r with a key at number n·c/r of the c instructions that
// the warp issues with this key.
std::vector<Place> placed(const std::vector<Seen>& seen, const WarpLife& life,
                          const std::vector<CodedInstruction>& code, bool is_machine_code) {
  std::map<std::uint32_t, std::vector<std::int64_t>> issues;  // clocks, by key
  for (const StateSpan& span : life.spans) {
    if (span.state == WarpState::Selected) {
      issues[is_machine_code ? span.instruction : code[span.instruction].line].push_back(
          span.start);
    }
  }
  std::map<std::uint32_t, std::size_t> steps;  // by key
  for (const Seen& one : seen) {
    ++steps[one.key];
  }
  std::map<std::uint32_t, std::size_t> done;
  std::vector<Place> places;
  places.reserve(seen.size());
  for (const Seen& one : seen) {
    const std::vector<std::int64_t>& clocks = issues[one.key];
    const std::size_t number = done[one.key]++;
    if (!clocks.empty()) {
      const std::size_t all = steps[one.key];
      places.push_back({one.step, clocks[number * clocks.size() / all],
                        static_cast<double>(clocks.size()) / static_cast<double>(all)});
    }
  }
  return places;
}

}  // namespace

Result<SmRun> run_whole(TimedLaunch& launch, const SmTable& table, int at_once,
                        const std::atomic<bool>* cancel) {
  const auto instructions = launch.instructions_of_block(cancel);
  TILESTEP_RETURN_IF_ERROR(instructions);
  if (*instructions * launch.tracer().program().block_count() > kMostOfWhole) {
    return fail(
        tr("The launch executes more than {} million machine instructions, too many to "
           "show all of them on one SM. Choose a smaller problem.",
           kMostOfWhole / 1'000'000));
  }
  EstimateOptions options;
  options.blocks_at_once = at_once;
  options.extent = Extent::Sm;
  return launch.run(table, options, cancel);
}

Result<simt::Schedule> with_clocks(simt::Schedule schedule,
                                   const std::shared_ptr<const simt::Program>& program,
                                   compile::Compiler& compiler, const problem::LaunchSpec& spec,
                                   const problem::Parameters& parameters,
                                   const problem::InputSpec& input,
                                   const std::filesystem::path& tables) {
  if (schedule.kind != simt::ScheduleKind::OnSm) {
    return schedule;
  }
  if (program->warp_size() != simt::kLanes) {
    return fail(tr("The schedule 'as on the SM' works only with warps of 32 lanes."));
  }
  const auto table = load_sm_table(tables, "H200");
  TILESTEP_RETURN_IF_ERROR(table);
  const auto machine =
      loading::prepare(compiler, spec, parameters, input, {problem::Build::Machine});
  if (!machine) {
    return tl::unexpected(machine.error().error);
  }
  auto launch = TimedLaunch::make(*machine, *table, 1);
  TILESTEP_RETURN_IF_ERROR(launch);
  const auto run = run_whole(*launch, *table);
  TILESTEP_RETURN_IF_ERROR(run);
  schedule.clocks = statement_clocks(program, launch->tracer().code(), *run);
  return schedule;
}

std::shared_ptr<const simt::StatementClocks> statement_clocks(
    const std::shared_ptr<const simt::Program>& program, const std::vector<CodedInstruction>& code,
    const SmRun& run) {
  const std::uint32_t warps = program->warps_per_block();
  std::vector<std::uint64_t> ended(std::size_t{program->block_count()} * warps, 0);  // statements
  Collector collector(*program, [&ended](std::size_t warp) { return ended[warp]; });
  simt::Machine machine(program);
  simt::Scheduler scheduler(*program, {simt::ScheduleKind::Sequential});
  while (scheduler.step(machine, &collector)) {
    const simt::WarpId last = scheduler.last();
    ended[std::size_t{last.block} * warps + last.warp] += scheduler.at_statement_end() ? 1 : 0;
  }
  auto clocks = std::make_shared<simt::StatementClocks>(ended.size());
  for (const WarpLife& life : run.lives) {
    const std::size_t warp = std::size_t{life.block} * warps + life.warp;
    std::vector<std::int64_t>& of_warp = (*clocks)[warp];
    of_warp.reserve(ended[warp]);
    for (const Place& place :
         placed(collector.seen()[warp], life, code, program->module().is_machine_code)) {
      // A statement without machine code is where the one before it is.
      while (of_warp.size() < place.step) {
        of_warp.push_back(of_warp.empty() ? life.start : of_warp.back());
      }
      if (of_warp.size() == place.step) {
        of_warp.push_back(place.clock);
      }
    }
  }
  return clocks;
}

std::shared_ptr<const Places> Places::make(const record::Recording& recording,
                                           const std::vector<CodedInstruction>& code,
                                           const SmRun& run, const std::atomic<bool>* cancel) {
  if (recording.step_count() > kMostSteps) {
    return nullptr;
  }
  const simt::Program& program = recording.program();
  std::uint64_t step = 0;
  Collector collector(program, [&step](std::size_t) { return step++; });
  constexpr std::uint64_t kSlice = 1U << 16;  // steps until the next look at `cancel`
  for (std::uint64_t at = 0; at < recording.step_count(); at += kSlice) {
    if (cancel != nullptr && *cancel) {
      return nullptr;
    }
    recording.replay(at, std::min(at + kSlice, recording.step_count()), collector);
  }
  auto places = std::make_shared<Places>();
  places->is_exact_ = program.module().is_machine_code;
  places->warps_ = program.warps_per_block();
  places->places_.resize(collector.seen().size());
  for (const WarpLife& life : run.lives) {
    const std::size_t warp = life.block * places->warps_ + life.warp;
    places->places_[warp] = placed(collector.seen()[warp], life, code, places->is_exact_);
  }
  return places;
}

const std::vector<Place>& Places::of(simt::WarpId warp) const {
  static const std::vector<Place> kNone;
  const std::size_t index = std::size_t{warp.block} * warps_ + warp.warp;
  return warp.warp < warps_ && index < places_.size() ? places_[index] : kNone;
}

std::int64_t Places::clock_at(simt::WarpId warp, std::uint64_t step) const {
  const std::vector<Place>& places = of(warp);
  if (places.empty()) {
    return 0;
  }
  const auto next = std::ranges::lower_bound(places, step, {}, &Place::step);
  return next == places.begin() ? next->clock : std::prev(next)->clock;
}

std::uint64_t Places::step_at(simt::WarpId warp, std::int64_t clock) const {
  // Machine instructions on the right side of the cut, less those on the wrong one.
  double agreeing = 0.0;
  double most = 0.0;
  std::uint64_t step = 0;
  for (const Place& place : of(warp)) {
    agreeing += place.clock <= clock ? place.instructions : -place.instructions;
    if (agreeing > 0.0 && agreeing >= most) {
      most = agreeing;
      step = place.step + 1;
    }
  }
  return step;
}

}  // namespace tilestep::clock
