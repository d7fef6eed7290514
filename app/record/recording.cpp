#include "record/recording.h"

#include "problem/tr.h"
#include "record/phases.h"
#include "record/trace.h"
#include "record/tracks.h"

#include <algorithm>
#include <cassert>

namespace tilestep::record {
namespace {

// Steps between checks of the cancel flag.
constexpr std::uint64_t kBreath = 1 << 14;

// Copying a state takes about as long as kLongWay steps; kShortWay steps are not noticeable.
constexpr std::uint64_t kLongWay = 40'000;
constexpr std::uint64_t kShortWay = 8'000;

// After refine(), an answer executes 0.15 ms on average, as long as the keyframes stay within this
// limit.
constexpr std::uint64_t kRefinedSteps = 4'000;
constexpr std::uint64_t kRefinedBytes = 64ULL << 20;

// The recording's observer, for data that a replay does not need.
class MakeObserver final : public simt::Observer {
 public:
  MakeObserver(const StateData& state, simt::BlockPart part)
      : state_(state), phases_(*state.tables, part) {}

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override { phases_.on_step(info, state_.step); }
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override {
    phases_.on_memory(info, event);
    traffic_.note(event);
  }
  void on_barrier(const simt::StepInfo& info, const simt::BarrierEvent& event) override {
    phases_.on_barrier(info, event, state_.machine, state_.step);
  }
  void on_fault(const simt::StepInfo& info, const simt::FaultEvent& event) override {
    faults_.push_back({info.id, event, step_line(state_, info), state_.step});
  }
  void on_block_end(std::uint32_t block) override { phases_.on_block_end(block); }

  [[nodiscard]] PhaseBuilder& phases() { return phases_; }
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }
  [[nodiscard]] std::vector<Activity::Fault>& faults() { return faults_; }

 private:
  const StateData& state_;
  PhaseBuilder phases_;
  Traffic traffic_;
  std::vector<Activity::Fault> faults_;
};

}  // namespace

struct Recording::Impl {
  Impl(std::shared_ptr<const simt::Program> p, simt::Schedule s, const Options& options)
      : program(std::move(p)),
        schedule(std::move(s)),
        part(options.part.value_or(simt::BlockPart{0, program->block_count()})),
        tables(std::make_shared<const Tables>(program)),
        keyframes(options.keyframe_bytes, options.keyframe_steps),
        trace(std::size_t{part.first} * program->warps_per_block(),
              std::size_t{part.count()} * program->warps_per_block()) {}

  std::shared_ptr<const simt::Program> program;
  simt::Schedule schedule;
  simt::BlockPart part;
  std::shared_ptr<const Tables> tables;
  mutable Keyframes keyframes;
  mutable Recent recent;
  Trace trace;
  std::uint64_t step_count = 0;
  bool is_complete = true;
  std::vector<std::uint64_t> statement_starts;
  PhaseBuilder::Phases phases;
  std::vector<Activity::Fault> faults;

  // The latest available state at or before `k`.
  [[nodiscard]] Recent::Entry nearest(std::uint64_t k, const StateData* hint) const {
    Recent::Entry best = recent.before(k);
    Recent::Entry keyframe = keyframes.before(k);
    if (best == nullptr || best->step < keyframe->step) {
      best = std::move(keyframe);
    }
    const bool use_hint =
        hint != nullptr && hint->tables == tables && hint->step <= k && hint->step >= best->step;
    return use_hint ? borrowed(*hint) : best;
  }

 private:
  // A non-owning entry: for states that outlive the call.
  static Recent::Entry borrowed(const StateData& state) {
    return {std::shared_ptr<const void>(), &state};
  }
};

namespace {

void run_to(StateData& data, std::uint64_t k, simt::Observer* observer) {
  Tracker tracker(data, observer);
  while (data.step < k) {
    [[maybe_unused]] const bool moved = tracker.step();
    assert(moved && "step past the end of the recording");
  }
}

// After many steps, keeps a copy shortly before the end: the next request is likely to be a step
// back, or the previous statement.
void travel(StateData& data, std::uint64_t k, Recent& recent) {
  if (k - data.step > kLongWay) {
    run_to(data, k - kShortWay, nullptr);
    recent.add(std::make_shared<const StateData>(data.packed()));
  }
  run_to(data, k, nullptr);
}

std::uint64_t blocks_done(const StateData& state) {
  std::uint64_t done = 0;
  const simt::BlockPart part = state.machine.part();
  for (std::uint32_t b = part.first; b < part.last; ++b) {
    done += state.machine.block_status(b) == simt::BlockStatus::Ended ? 1 : 0;
  }
  return done;
}

Error too_long(const StateData& state, std::uint64_t max_steps) {
  return {tr(
      "This launch needs more than {} steps, the limit of a recording ({} of {} blocks had ended). "
      "Choose a smaller size or fewer blocks, or use `tilestep check`, which does not record.",
      max_steps, blocks_done(state), state.machine.part().count())};
}

Error needs_others(simt::BlockPart part) {
  return {tr("Blocks {} to {} read what other blocks may store, so they cannot be recorded alone.",
             part.first, part.last - 1)};
}

// Called now and then: the reason why the recording cannot continue.
std::optional<Error> trouble(const StateData& state, const Options& options,
                             const Traffic& traffic) {
  if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed)) {
    return Error{tr("Recording canceled after {} steps.", state.step)};
  }
  if (options.part && !traffic.reads_only(state.tables->input_windows())) {
    return needs_others(*options.part);
  }
  return std::nullopt;
}

}  // namespace

Recording::Recording(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recording::~Recording() = default;

Result<std::shared_ptr<const Recording>> Recording::make(
    std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule, Options options) {
  auto impl = std::make_unique<Impl>(std::move(program), schedule, options);
  StateData state(impl->tables, schedule, impl->part);
  MakeObserver observer(state, impl->part);
  Tracker tracker(state, &observer);
  // Writer words count steps in 32 bits.
  const std::uint64_t max_steps = std::min<std::uint64_t>(options.max_steps, 0xfffffff0U);
  impl->statement_starts.push_back(0);
  impl->keyframes.offer(state);
  while (tracker.step()) {
    impl->trace.add(state.warp_index(state.scheduler.last()), state.step - 1);
    if (state.scheduler.at_statement_end()) {
      impl->statement_starts.push_back(state.step);
    }
    if (state.step > max_steps) {
      return tl::unexpected(too_long(state, max_steps));
    }
    if (state.step % kBreath == 0) {
      if (options.progress != nullptr) {
        options.progress->store(state.step, std::memory_order_relaxed);
      }
      if (const auto why = trouble(state, options, observer.traffic())) {
        return tl::unexpected(*why);
      }
    }
    impl->keyframes.offer(state);
    if (options.only_steps != 0 && state.step >= options.only_steps &&
        state.scheduler.at_statement_end()) {
      impl->is_complete = blocks_done(state) == impl->part.count();
      break;
    }
  }
  if (const auto why = trouble(state, options, observer.traffic())) {
    return tl::unexpected(*why);
  }
  if (impl->statement_starts.back() != state.step) {
    impl->statement_starts.push_back(state.step);
  }
  impl->step_count = state.step;
  if (impl->is_complete) {  // with all blocks ended, a state is small
    impl->keyframes.insert(std::make_shared<const StateData>(state.packed()));
  }
  if (!observer.traffic().blocks_are_independent()) {
    impl->trace.drop();
  }
  impl->phases = observer.phases().finish();
  impl->faults = std::move(observer.faults());
  return std::shared_ptr<const Recording>(new Recording(std::move(impl)));
}

const simt::Program& Recording::program() const {
  return *impl_->program;
}
const std::shared_ptr<const simt::Program>& Recording::shared_program() const {
  return impl_->program;
}
const simt::Schedule& Recording::schedule() const {
  return impl_->schedule;
}
simt::BlockPart Recording::part() const {
  return impl_->part;
}
bool Recording::is_complete() const {
  return impl_->is_complete;
}
std::uint64_t Recording::step_count() const {
  return impl_->step_count;
}
std::span<const std::uint64_t> Recording::statement_starts() const {
  return impl_->statement_starts;
}

std::span<const Phase> Recording::phases_of(std::uint32_t block) const {
  return impl_->phases.of_block[block];
}

const Phase* Recording::phase_at(std::uint32_t block, std::uint64_t step) const {
  const std::span<const Phase> phases = phases_of(block);
  const auto after =
      std::upper_bound(phases.begin(), phases.end(), step,
                       [](std::uint64_t k, const Phase& phase) { return k < phase.last_step; });
  return after != phases.end() && after->first_step <= step ? &*after : nullptr;
}

std::span<const Activity::Fault> Recording::faults() const {
  return impl_->faults;
}

State Recording::state_at(std::uint64_t k) const {
  assert(k <= step_count());
  State state(std::make_unique<State::Impl>(State::Impl{*impl_->nearest(k, nullptr)}));
  travel(state.impl_->data, k, impl_->recent);
  return state;
}

State Recording::state_at(std::uint64_t k, const State& hint) const {
  assert(k <= step_count());
  State state(std::make_unique<State::Impl>(State::Impl{*impl_->nearest(k, &hint.impl_->data)}));
  travel(state.impl_->data, k, impl_->recent);
  return state;
}

State Recording::state_at(std::uint64_t k, State&& hint) const {
  assert(k <= step_count());
  if (impl_->nearest(k, &hint.impl_->data).get() != &hint.impl_->data) {
    return state_at(k);
  }
  State state(std::move(hint));
  travel(state.impl_->data, k, impl_->recent);
  return state;
}

bool Recording::refine(const std::atomic<bool>* cancel) const {
  const std::vector<std::uint64_t> runs = impl_->keyframes.steps();
  const std::uint64_t bytes = impl_->keyframes.bytes();
  if (bytes >= kRefinedBytes) {
    return true;
  }
  // Adds as many more as fit, if they are as large as the existing ones.
  const std::uint64_t room = (kRefinedBytes - bytes) * runs.size() / bytes;
  const std::uint64_t distance = std::max(kRefinedSteps, step_count() / (room + 1));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::uint64_t end = i + 1 < runs.size() ? runs[i + 1] : step_count();
    StateData data = *impl_->keyframes.before(runs[i]);
    while (data.step + distance < end) {
      if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) {
        return false;
      }
      run_to(data, data.step + distance, nullptr);
      impl_->keyframes.insert(std::make_shared<const StateData>(data.packed()));
    }
  }
  return true;
}

std::uint64_t Recording::bytes() const {
  std::uint64_t bytes = impl_->keyframes.bytes() + impl_->trace.bytes() +
                        impl_->statement_starts.capacity() * sizeof(std::uint64_t);
  for (std::uint32_t block = impl_->part.first; block < impl_->part.last; ++block) {
    bytes += phases_of(block).size_bytes();
  }
  return bytes;
}

Activity Recording::activity(std::uint64_t first, std::uint64_t last) const {
  State state = state_at(first);
  Activity activity = advance(state, last);
  // The next statement starts where this one ends.
  impl_->recent.add(std::make_shared<const StateData>(std::move(state.impl_->data)));
  return activity;
}

Activity Recording::advance(State& state, std::uint64_t last) const {
  StateData& data = state.impl_->data;
  assert(data.tables == impl_->tables && data.step <= last && last <= step_count());
  const std::uint64_t first = data.step;
  ActivityCollector collector(data);
  run_to(data, last, &collector);
  return collector.take(first, last);
}

std::size_t Recording::statement_of(std::uint64_t k) const {
  const auto& starts = impl_->statement_starts;
  const auto after = std::upper_bound(starts.begin(), starts.end(), k);
  return static_cast<std::size_t>(after - starts.begin()) - 1;
}

bool Recording::keeps_steps_of(std::uint32_t block) const {
  const std::size_t warps = program().warps_per_block();
  return impl_->trace.count_of(block * warps, (block + 1) * warps) != 0;
}

void Recording::visit_steps_of(std::uint32_t block, const VisitStep& visit) const {
  const std::size_t warps = program().warps_per_block();
  impl_->trace.visit(block * warps, (block + 1) * warps, visit);
}

std::uint64_t Recording::steps_to_follow(std::uint32_t block) const {
  const std::size_t warps = program().warps_per_block();
  const std::uint64_t own = impl_->trace.count_of(block * warps, (block + 1) * warps);
  return own != 0 ? own : step_count();
}

void Recording::replay(std::uint64_t first, std::uint64_t last, simt::Observer& observer) const {
  assert(first <= last && last <= step_count());
  StateData data = *impl_->nearest(first, nullptr);
  run_to(data, first, nullptr);
  run_to(data, last, &observer);
}

void Recording::replay(std::uint64_t first, std::uint64_t last, const ObserverOf& make) const {
  assert(first <= last && last <= step_count());
  StateData data = *impl_->nearest(first, nullptr);
  run_to(data, first, nullptr);
  const std::unique_ptr<simt::Observer> observer = make(data.machine);
  run_to(data, last, observer.get());
}

}  // namespace tilestep::record
