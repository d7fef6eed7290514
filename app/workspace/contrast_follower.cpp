#include "workspace/contrast_follower.h"

#include "insight/count/access_layout.h"
#include "problem/tr.h"

#include <algorithm>
#include <bit>
#include <string>

namespace tilestep::workspace {
namespace {

// A longer run is not walked through for the accesses of one warp.
constexpr std::uint64_t kShortEnough = 1'000'000;  // steps
constexpr std::size_t kStatementsAtOnce = 1024;    // whose accesses are held in memory

void add_stored(const record::Access& access, std::uint32_t block,
                std::set<std::uint64_t>& stored) {
  const simt::MemoryEvent& event = access.event;
  if (access.warp.block != block || event.space != ptx::Space::Shared ||
      event.kind == simt::AccessKind::Load) {
    return;
  }
  for (std::uint32_t lanes = event.mask; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t address =
        event.addresses[static_cast<std::size_t>(std::countr_zero(lanes))];
    for (std::uint32_t byte = 0; byte < event.bytes; byte += insight::kBankBytes) {
      stored.insert(address + byte);
    }
  }
}

void add_accesses(simt::WarpId warp, ContrastRun& run) {
  const auto starts = run.recording->statement_starts();
  record::State state = run.recording->state_at(0);
  for (std::size_t i = 0; i + 1 < starts.size(); i += kStatementsAtOnce) {
    const std::size_t next = std::min(i + kStatementsAtOnce, starts.size() - 1);
    for (const record::Access& access : run.recording->advance(state, starts[next]).accesses) {
      add_stored(access, warp.block, run.stored);
      if (access.warp == warp) {
        run.accesses.push_back(access);
      }
    }
  }
}

// One kernel of the contrast with the block alone; no recording: it cannot be launched so.
ContrastRun record_one(const SceneKey& key, const problem::Catalog& catalog,
                       compile::Compiler& compiler, simt::WarpId warp, JobControl& control) {
  ContrastRun run;
  SceneDraft draft = draft_scene(key, catalog, compiler);
  if (!draft.program || warp.block >= draft.program->block_count()) {
    return run;
  }
  auto recording = record_blocks(draft.program, key.schedule,
                                 simt::BlockPart{warp.block, warp.block + 1}, control);
  if (recording && (*recording)->step_count() <= kShortEnough) {
    run.recording = std::move(*recording);
    run.source = std::move(draft.result.source);
    add_accesses(warp, run);
  }
  return run;
}

}  // namespace

std::shared_ptr<const std::vector<ContrastRun>> ContrastFollower::follow(
    const Scene& scene, const state::AppState& state, const SceneKey& key) {
  const bool is_shown = state.show_memory && state.show_contrast && !state.comparison.on &&
                        scene.recording->step_count() <= kShortEnough &&
                        catalog_->contrast_of(scene.kernel_id) != nullptr;
  if (!is_shown) {
    cancel();
    return nullptr;
  }
  const auto lanes = scene.recording->program().warp_size();
  const std::pair warp(state.focus.block, state.focus.thread / lanes);
  if (recording_.lock() != scene.recording || warp_ != warp) {
    cancel();
    recording_ = scene.recording;
    warp_ = warp;
    request(scene, key, warp.first, warp.second);
  }
  return runs_;
}

void ContrastFollower::cancel() {
  if (control_) {
    control_->cancel = true;
  }
  control_.reset();
  recording_.reset();
  runs_.reset();
}

void ContrastFollower::request(const Scene& scene, const SceneKey& key, std::uint32_t block,
                               std::uint32_t warp) {
  control_ = std::make_shared<JobControl>();
  pool_.submit([this, key, own = scene.recording, id = simt::WarpId{block, warp},
                source = scene.spec.source, catalog = catalog_,
                control = control_]() -> Completion {
    auto runs = std::make_shared<std::vector<ContrastRun>>();
    for (const std::string& kernel : *catalog->contrast_of(key.kernel)) {
      if (control->cancel) {
        return {};
      }
      const problem::LaunchSpec* const spec = catalog->find(kernel);
      if (spec == nullptr) {
        continue;  // the catalog names one that it does not have
      }
      SceneKey other = key;
      other.kernel = kernel;
      other.edited_source.clear();
      other.file_source.clear();
      const bool is_own = kernel == key.kernel;
      ContrastRun run = is_own ? ContrastRun{true, "", source, own, {}, {}}
                               : record_one(other, *catalog, compiler_, id, *control);
      if (is_own) {
        add_accesses(id, run);
      }
      run.title = tr(spec->title.c_str());
      if (run.recording) {
        runs->push_back(std::move(run));
      }
    }
    return [this, control, runs] {
      if (control_ == control) {
        runs_ = runs;
      }
    };
  });
}

}  // namespace tilestep::workspace
