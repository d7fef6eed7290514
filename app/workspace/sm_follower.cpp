#include "workspace/sm_follower.h"

#include "loading/prepare.h"
#include "problem/describe/catalog.h"

#include <algorithm>
#include <array>

namespace tilestep::workspace {
namespace {

constexpr std::uint64_t kMostInstructions = 12'000'000;  // of all blocks of an SM
// Numbers of blocks at once on the curve of latency hiding.
constexpr std::array kCurve{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

// The launch, compiled and traced once for several runs.
struct Prepared {
  std::shared_ptr<ShownSm> shown = std::make_shared<ShownSm>();
  std::optional<clock::TimedLaunch> launch;
  // If the launch's stamps are shipped: they, and the launch as it is in the text.
  std::optional<clock::StampedRun> stamps;
  problem::Launch plain;
};

Prepared prepare(const SmQuestion& question, const Paths& paths, const problem::Catalog& catalog,
                 compile::Compiler& compiler) {
  Prepared result;
  ShownSm& shown = *result.shown;
  shown.kernel = question.key.kernel;
  shown.parameters = question.key.parameters;
  shown.is_whole = question.is_whole;
  auto table =
      clock::load_sm_table(paths.assets / "clock", question.gpu, clock::OtherGpu::Replaced);
  auto spec = problem::find_spec(catalog, question.key.kernel);
  if (!table || !spec) {
    shown.why_not = table ? spec.error().message : table.error().message;
    return result;
  }
  shown.table = std::make_shared<const clock::SmTable>(*std::move(table));
  const SceneKey& key = question.key;
  const std::string& text = key.edited_source.empty() ? key.file_source : key.edited_source;
  if (!text.empty()) {
    spec->source = text;
  }
  loading::PrepareOptions options;
  options.build = compile::Build::Machine;
  options.contents =
      question.is_whole ? problem::BufferContents::Filled : problem::BufferContents::Zero;
  auto prepared = loading::prepare(compiler, *spec, key.parameters, key.input, options);
  if (!prepared) {
    shown.why_not = prepared.error().error.message;
    return result;
  }
  auto launch = clock::TimedLaunch::make(*prepared, *shown.table, question.is_whole ? 1 : 0);
  if (!launch) {
    shown.why_not = launch.error().message;
    return result;
  }
  shown.occupancy = launch->occupancy();
  shown.most_at_once = launch->most_at_once();
  shown.code = launch->tracer().code();
  if (!key.edited_source.empty()) {  // nothing of it was measured
    result.launch = std::move(*launch);
    return result;
  }
  if (const auto measured =
          clock::load_measured_launches(paths.assets / "clock", shown.table->gpu)) {
    if (const auto* const found =
            measured->find(key.kernel, key.parameters.problem, key.parameters.block_size)) {
      shown.measured = *found;
    }
    if (const auto* const wave =
            measured->find_wave(key.kernel, key.parameters.block_size, key.parameters.problem.K)) {
      shown.measured_by_blocks = wave->clocks;
    }
  }
  if (!question.is_summary) {
    result.stamps = clock::find_stamped_run(paths.assets / "clock", shown.table->gpu, key.kernel,
                                            key.parameters.problem,
                                            spec->uses_block_size ? key.parameters.block_size : 0);
  }
  result.launch = std::move(*launch);
  result.plain = std::move(prepared->launch);
  return result;
}

// The stamps that were measured, and the model's for the same machine code. Without NVRTC the text
// with stamps does not compile; then nothing is shown of them.
std::optional<ShownStamps> shown_stamps(Prepared& prepared, compile::Compiler& compiler,
                                        const std::atomic<bool>& cancel) {
  if (!prepared.stamps) {
    return std::nullopt;
  }
  const ShownSm& shown = *prepared.shown;
  const auto stamped =
      clock::stamped_launch(std::move(prepared.plain), {.blocks_at_once = shown.occupancy.blocks});
  if (!stamped) {
    return std::nullopt;
  }
  loading::PrepareOptions options;
  options.build = compile::Build::Machine;
  const auto code = loading::prepare(compiler, stamped->launch, options);
  if (!code) {
    return std::nullopt;
  }
  auto launch = clock::TimedLaunch::make(*code, *shown.table);
  if (!launch) {
    return std::nullopt;
  }
  auto estimated =
      clock::estimate_stamps(*launch, *shown.table, clock::extent_of(*prepared.stamps), &cancel);
  if (!estimated) {
    return std::nullopt;
  }
  auto phases = clock::compare_phases(prepared.stamps->warps, *estimated);
  if (!phases) {
    return std::nullopt;
  }
  return ShownStamps{*std::move(prepared.stamps), *std::move(estimated), *std::move(phases)};
}

// The other numbers of blocks, and the whole launch.
void add_others(ShownSm& shown, clock::TimedLaunch& launch, const std::atomic<bool>& cancel) {
  clock::EstimateOptions options;
  options.records = false;
  options.is_cold = false;  // latency hiding is that of L2: the data is there
  for (const int blocks : kCurve) {
    if (cancel || blocks > shown.most_at_once) {
      break;
    }
    options.blocks_at_once = blocks;
    if (const auto run = launch.run(*shown.table, options, &cancel)) {
      shown.by_blocks.emplace_back(blocks, run->clocks);
    }
  }
  if (auto summary = launch.summarize(*shown.table, kMostInstructions, &cancel)) {
    shown.summary = *summary;
  }
}

}  // namespace

const std::shared_ptr<const ShownSm>& SmFollower::follow(const SmQuestion& question) {
  if (!question_ || *question_ != question) {
    if (control_) {
      control_->cancel = true;
    }
    // The old answer stays on screen until the new one is ready.
    question_ = question;
    is_answered_ = false;
    request();
  }
  return shown_;
}

void SmFollower::cancel() {
  if (control_) {
    control_->cancel = true;
  }
  if (places_control_) {
    places_control_->cancel = true;
  }
  control_.reset();
  places_control_.reset();
  question_.reset();
  shown_.reset();
  placed_.reset();
  places_.reset();
}

const std::shared_ptr<const clock::Places>& SmFollower::follow_places(
    const std::shared_ptr<const record::Recording>& recording) {
  if (is_answered_ && placed_ == shown_ && recording != nullptr && recording_.lock() == recording) {
    return places_;
  }
  if (places_control_) {
    places_control_->cancel = true;
  }
  places_.reset();
  placed_.reset();
  if (!is_answered_ || recording == nullptr || !shown_->is_whole || !shown_->why_not.empty()) {
    return places_;
  }
  placed_ = shown_;
  recording_ = recording;
  places_control_ = std::make_shared<JobControl>();
  pool_.submit([this, recording, shown = shown_, control = places_control_]() -> Completion {
    auto places = clock::Places::make(*recording, shown->code, shown->run, &control->cancel);
    return [this, control, places = std::move(places)] {
      if (places_control_ == control) {
        places_ = places;
      }
    };
  });
  return places_;
}

void SmFollower::request() {
  control_ = std::make_shared<JobControl>();
  pool_.submit(
      [this, question = *question_, catalog = catalog_, control = control_]() -> Completion {
        const auto take = [this, control](const std::shared_ptr<const ShownSm>& shown) {
          return [this, control, shown] {
            if (control_ == control) {
              is_answered_ = true;
              shown_ = shown;
            }
          };
        };
        Prepared prepared = prepare(question, paths_, *catalog, compiler_);
        if (!prepared.launch) {
          return take(prepared.shown);
        }
        ShownSm& shown = *prepared.shown;
        if (question.is_summary) {
          if (const auto summary = prepared.launch->summarize(
                  *shown.table, clock::TimedLaunch::kQuickInstructions, &control->cancel)) {
            shown.summary = *summary;
          }
          return take(prepared.shown);
        }
        shown.at_once = question.at_once > 0 ? std::min(question.at_once, shown.most_at_once)
                                             : shown.most_at_once;
        clock::EstimateOptions options;
        options.blocks_at_once = shown.at_once;
        auto run = shown.is_whole ? clock::run_whole(*prepared.launch, *shown.table, shown.at_once,
                                                     &control->cancel)
                                  : prepared.launch->run(*shown.table, options, &control->cancel);
        if (!run) {
          shown.why_not = run.error().message;
          return take(prepared.shown);
        }
        if (control->cancel) {
          return {};
        }
        shown.run = *std::move(run);
        if (shown.is_whole) {
          return take(prepared.shown);
        }
        pool_.hand_over(take(prepared.shown));
        auto complete = std::make_shared<ShownSm>(shown);
        complete->stamped = shown_stamps(prepared, compiler_, control->cancel);
        add_others(*complete, *prepared.launch, control->cancel);
        return take(complete);
      });
}

}  // namespace tilestep::workspace
