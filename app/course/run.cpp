#include "course/run.h"

#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilestep::course {
namespace {

constexpr Message kCancelled = "The run was canceled.";

// A check, unless it was cancelled: then an error with the progress.
Result<insight::CheckResult> finished(insight::CheckResult checked) {
  if (!checked.cancelled) {
    return checked;
  }
  return fail(checked.cancelled_at.empty() ? kCancelled.text() : checked.cancelled_at);
}

// Whether every schedule gives this C: no finding, and no order of atomic additions.
bool is_same_with_every_schedule(const insight::CheckResult& checked) {
  const insight::Counters& counted = checked.counters;
  return checked.findings.empty() &&
         counted.global_atomics.requests + counted.shared_atomics.requests == 0;
}

}  // namespace

Result<problem::LaunchSpec> Run::spec() const {
  auto spec = problem::find_spec(tools_.catalog, setup_.kernel);
  if (spec && !setup_.edited_source.empty()) {
    spec->source = setup_.edited_source;
  }
  return spec;
}

Result<problem::Launch> Run::shape() const {
  const auto of = spec();
  return of ? problem::evaluate_shape(*of, setup_.parameters) : tl::unexpected(of.error());
}

tl::expected<loading::Prepared, loading::LoadFailure> Run::prepare(
    const loading::PrepareOptions& options) const {
  const auto of = spec();
  if (!of) {
    return tl::unexpected(loading::LoadFailure{of.error(), {}});
  }
  return loading::prepare(tools_.compiler, *of, setup_.parameters, setup_.input, options);
}

void Run::note_cancel() {
  was_cancelled_ = was_cancelled_ || (tools_.cancel != nullptr && *tools_.cancel);
}

const Result<loading::Prepared>& Run::prepared() {
  if (!prepared_) {
    auto made = prepare({compile::Build::Step, setup_.warp_size});
    diagnostics_ = made ? made->kernel.output.diagnostics : made.error().diagnostics;
    prepared_ = made ? Result<loading::Prepared>(std::move(*made))
                     : tl::unexpected(std::move(made.error().error));
  }
  return *prepared_;
}

const Result<std::shared_ptr<const record::Recording>>& Run::recording() {
  if (!recording_) {
    const auto& of = prepared();
    record::Options options;
    options.cancel = tools_.cancel;
    recording_ = of ? record::Recording::make(of->program, setup_.schedule, options)
                    : tl::unexpected(of.error());
    note_cancel();
  }
  return *recording_;
}

const Result<insight::CheckResult>& Run::check() {
  if (!check_) {
    const auto& of = prepared();
    check_ = of ? finished(insight::check(of->program, setup_.schedule, tools_.cancel, nullptr, {},
                                          insight::Watched::All))
                : tl::unexpected(of.error());
    note_cancel();
  }
  return *check_;
}

const Result<insight::CheckResult>& Run::fast_check() {
  if (!fast_check_) {
    const auto of = prepare({compile::Build::Fast, setup_.warp_size});
    const auto with = [&](const simt::Schedule& schedule) {
      return finished(insight::check(of->program, schedule, tools_.cancel));
    };
    if (!of) {
      fast_check_ = tl::unexpected(of.error().error);
    } else {
      // Lockstep takes ten times as long at 1000×1000×1000.
      fast_check_ = with({simt::ScheduleKind::Sequential});
      if (*fast_check_ && !is_same_with_every_schedule(**fast_check_)) {
        fast_check_ = with(setup_.schedule);
      }
    }
    note_cancel();
  }
  return *fast_check_;
}

Result<Counted> Run::count(int architecture) const {
  const auto launch = shape();
  TILESTEP_RETURN_IF_ERROR(launch);
  loading::PrepareOptions options{compile::Build::Fast, setup_.warp_size};
  options.architecture = architecture;
  options.contents = loading::can_be_filled(*launch) ? problem::BufferContents::Filled
                                                     : problem::BufferContents::Zero;
  auto made = prepare(options);
  if (!made) {
    return tl::unexpected(made.error().error);
  }
  if (architecture != 0 && !made->is_machine_code) {
    return fail(tr("The instructions of the machine code cannot be counted: {}",
                   made->why_not_machine_code));
  }
  const insight::Profile profile = insight::profile(
      made->program, insight::MethodChoice::RepresentativesIfTheyHold, tools_.cancel);
  if (profile.cancelled) {
    return fail(kCancelled.text());
  }
  Counted counted;
  counted.program = made->program;
  counted.total = insight::total_cost(*made->program, profile);
  counted.by_buffer = insight::cost_by_buffer(*made->program, profile);
  counted.accesses = insight::cost_by_access(*made->program, profile);
  counted.barriers = insight::total_barriers(profile);
  counted.blocks = profile.blocks;
  return counted;
}

const Result<Counted>& Run::counted(int architecture) {
  const auto found = counted_.find(architecture);
  if (found != counted_.end()) {
    return found->second;
  }
  const auto& made = counted_.emplace(architecture, count(architecture)).first->second;
  note_cancel();
  return made;
}

const Result<insight::ElementUses>& Run::uses(const std::string& cell) {
  const auto found = uses_.find(cell);
  if (found != uses_.end()) {
    return found->second;
  }
  const auto& run = recording();
  return uses_.emplace(cell, run ? insight::uses_of(**run, cell) : tl::unexpected(run.error()))
      .first->second;
}

const Result<insight::Origin>& Run::origin(const insight::Question& question) {
  const std::string key =
      fmt::format("{} {} {} {}", question.what, question.step, question.block, question.thread);
  const auto found = origins_.find(key);
  if (found != origins_.end()) {
    return found->second;
  }
  const auto& run = recording();
  return origins_
      .emplace(key, run ? insight::origin_of(**run, question) : tl::unexpected(run.error()))
      .first->second;
}

// Precondition: recording() has a value.
const insight::BlockSums& Run::sums(std::uint32_t block) {
  const auto found = sums_.find(block);
  return found != sums_.end()
             ? found->second
             : sums_.emplace(block, insight::BlockSums(**recording(), block)).first->second;
}

Run& Runs::of(const state::Setup& setup) {
  runs_.remove_if([](const Run& run) { return run.was_cancelled(); });
  const auto found =
      std::ranges::find_if(runs_, [&setup](const Run& run) { return run.setup() == setup; });
  if (found != runs_.end()) {
    runs_.splice(runs_.begin(), runs_, found);
  } else {
    runs_.emplace_front(tools_, setup);
    if (runs_.size() > kKept) {
      runs_.pop_back();
    }
  }
  return runs_.front();
}

}  // namespace tilestep::course
