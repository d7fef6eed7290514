#include "course/run.h"

#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <span>
#include <utility>

namespace tilestep::course {
namespace {

constexpr Message kCancelled = "The run was canceled.";
constexpr Message kNoDataSet = "There is no data set.";

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

std::filesystem::path clock_folder(const timing::UnreadDataSet& data) {
  return data.file().parent_path().parent_path() / "clock";
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
  counted.barrier_line = insight::line_of_most_barriers(*made->program, profile);
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

Result<clock::TimedLaunch>& Run::timed(const clock::SmTable& table) {
  if (!timed_) {
    loading::PrepareOptions options{compile::Build::Machine, setup_.warp_size};
    options.contents = problem::BufferContents::Zero;
    const auto made = prepare(options);
    timed_ = made ? clock::TimedLaunch::make(*made, table) : tl::unexpected(made.error().error);
  }
  return *timed_;
}

Result<SmTime> Run::time_of_sm(const clock::SmTable& table) {
  auto& launch = timed(table);
  TILESTEP_RETURN_IF_ERROR(launch);
  const clock::EstimateOptions options{.extent = clock::Extent::Sm, .records = false};
  const auto of_block = launch->instructions_of_block(tools_.cancel);
  TILESTEP_RETURN_IF_ERROR(of_block);
  const simt::Program& program = launch->tracer().program();
  const auto sms = static_cast<std::uint64_t>(table.sms);
  const std::uint64_t instructions = *of_block * ((program.block_count() + sms - 1) / sms);
  if (instructions > kMostSmInstructions) {
    return fail(
        tr("An SM executes {} instructions of this launch. Times are estimated only up to {}: use "
           "a smaller size.",
           instructions, kMostSmInstructions));
  }
  auto run = launch->run(table, options, tools_.cancel);
  TILESTEP_RETURN_IF_ERROR(run);
  launch->forget();
  if (run->is_cancelled) {
    return fail(kCancelled.text());
  }
  return SmTime{*std::move(run),
                launch->most_at_once() * static_cast<int>(program.warps_per_block())};
}

const Result<SmTime>& Run::sm_time(const clock::SmTable& table) {
  if (!sm_time_) {
    sm_time_ = time_of_sm(table);
    note_cancel();
  }
  return *sm_time_;
}

Result<int> Run::dependent_clocks(const clock::SmTable& table, std::string_view name) {
  auto& launch = timed(table);
  TILESTEP_RETURN_IF_ERROR(launch);
  const std::span<const clock::CodedInstruction> code = launch->tracer().code();
  const auto is_named = [name](const clock::CodedInstruction& one) {
    return one.text.starts_with(name) && one.text.substr(name.size()).starts_with(' ');
  };
  int fewest = std::numeric_limits<int>::max();
  for (std::size_t first = 0; first < code.size(); ++first) {
    if (!is_named(code[first])) {
      continue;
    }
    int clocks = 0;
    for (std::size_t next = first; next + 1 < code.size(); ++next) {
      clocks += std::max<int>(1, code[next].stall);
      const clock::CodedInstruction& one = code[next + 1];
      const bool needs_it =
          std::ranges::find(one.sources, code[first].destination) != one.sources.end();
      if (is_named(one) && needs_it) {
        fewest = std::min(fewest, clocks);
      }
      if (needs_it || one.destination == code[first].destination ||
          one.unit == clock::Unit::Branch || one.unit == clock::Unit::Exit) {
        break;
      }
    }
  }
  return fewest < std::numeric_limits<int>::max()
             ? Result<int>(fewest)
             : fail(tr("No {} of this kernel needs the result of another one.", name));
}

Result<std::int64_t> Run::wave_clocks(const clock::SmTable& table, int blocks) {
  const auto found = wave_clocks_.find(blocks);
  if (found != wave_clocks_.end()) {
    return found->second;
  }
  auto& launch = timed(table);
  TILESTEP_RETURN_IF_ERROR(launch);
  if (blocks < 1 || blocks > launch->most_at_once()) {
    return fail(tr("An SM holds 1 to {} blocks of this launch at once, not {}.",
                   launch->most_at_once(), blocks));
  }
  const clock::EstimateOptions options{
      .blocks_at_once = blocks, .is_cold = false, .records = false};
  const auto run = launch->run(table, options, tools_.cancel);
  launch->forget();
  note_cancel();
  const auto clocks = run ? Result<std::int64_t>(run->clocks) : tl::unexpected(run.error());
  return wave_clocks_.emplace(blocks, clocks).first->second;
}

const Result<clock::SmTable>& Runs::sm_table() {
  if (!sm_table_) {
    if (tools_.dataset == nullptr) {
      sm_table_ = fail(kNoDataSet.text());
    } else {
      const auto& data = tools_.dataset->read();
      sm_table_ = data ? clock::load_sm_table(clock_folder(*tools_.dataset), data->provenance.gpu)
                       : tl::unexpected(data.error());
    }
  }
  return *sm_table_;
}

const Result<clock::MeasuredLaunches>& Runs::measured_launches() {
  if (!measured_launches_) {
    const auto& table = sm_table();
    measured_launches_ =
        table ? clock::load_measured_launches(clock_folder(*tools_.dataset), table->gpu)
              : tl::unexpected(table.error());
  }
  return *measured_launches_;
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
