// What the workers do: pure of the workspace's own state, so that a job can run while the next one
// is being asked for. Everything goes in and comes out by value.
#pragma once

#include "compile/compiler.h"
#include "insight/check/check.h"
#include "insight/count/counters.h"
#include "problem/describe/catalog.h"
#include "state/app_state.h"
#include "workspace/workspace.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::workspace {

// What decides what is recorded. A file of the user's is shown as it was read, until somebody takes
// what it holds now.
struct SceneKey : state::Setup {
  std::string file_source;  // the text of a user's file, as it was read last; empty: the catalog's

  SceneKey() = default;
  explicit SceneKey(state::Setup setup, const FileView& file = {})
      : Setup(std::move(setup)), file_source(file.path.empty() ? "" : file.text) {}
  // Made of these.
  [[nodiscard]] bool is_of(const state::Setup& setup, const FileView& file) const {
    return static_cast<const Setup&>(*this) == setup &&
           file_source == (file.path.empty() ? std::string_view() : std::string_view(file.text));
  }
  friend bool operator==(const SceneKey&, const SceneKey&) = default;
};

// A job keeps the catalog that it was started with: one with a kernel more takes its place, it is
// never changed.
using CatalogPtr = std::shared_ptr<const problem::Catalog>;

[[nodiscard]] CatalogPtr with_kernel(const problem::Catalog& catalog, problem::LaunchSpec spec);

// Shared between the workspace and a running job.
struct JobControl {
  std::atomic<bool> cancel{false};
  std::atomic<std::uint64_t> progress{0};
  std::uint64_t keyframe_bytes = record::Options{}.keyframe_bytes;  // that a recording may take
};

struct SceneResult {
  bool is_first = true;  // of its key: what follows only has another recording
  std::optional<Scene> scene;
  std::string message;                           // why there is none
  std::vector<compile::Diagnostic> diagnostics;  // of the compile, warnings of a good one too
  std::string source;                            // the text, also when it did not compile
};

// Described and compiled: a scene without a recording yet. No program: `result` says why.
struct SceneDraft {
  SceneResult result;
  std::shared_ptr<const simt::Program> program;
};
[[nodiscard]] SceneDraft draft_scene(const SceneKey& key, const problem::Catalog& catalog,
                                     compile::Compiler& compiler);

// The blocks that are recorded ahead of the whole grid, so that the stage soon has something to
// show: this one and its neighbours, as many as are resident at once or fewer. Nothing where that
// is the whole grid.
[[nodiscard]] std::optional<simt::BlockPart> part_ahead(
    const std::shared_ptr<const simt::Program>& program, std::uint32_t block);
[[nodiscard]] Result<std::shared_ptr<const record::Recording>> record_blocks(
    std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule,
    std::optional<simt::BlockPart> part, JobControl& control);
// The run's first steps, recorded in a tenth of a second; all of it where it is no longer.
[[nodiscard]] Result<std::shared_ptr<const record::Recording>> record_start(
    std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule,
    JobControl& control);
// By the steps of a part: whether the whole grid has too many for a recording.
[[nodiscard]] bool whole_is_too_long(const record::Recording& part);

// Steps of a block. Its sums are followed within a frame, in 20 ms, …
inline constexpr std::uint64_t kQuicklyFollowed = 40'000;
// … or on a scene's way to the stage: without them tiles have no colours and threads no numbers.
inline constexpr std::uint64_t kFollowedOnTheWay = 100'000;
void take_first_sums(Scene& scene, std::shared_ptr<const insight::BlockSums> sums);
// The scene with this recording, and the sums of its first block and of the one in focus, where
// following them does not take long.
void complete(Scene& scene, std::shared_ptr<const record::Recording> recording,
              std::uint32_t focus);

// What is known about a scene beyond its recording; takes longer and comes later.
struct Analysis {
  std::optional<insight::CheckResult> check;
  std::optional<insight::Counters> counters;
};
[[nodiscard]] Analysis analyse(const std::shared_ptr<const simt::Program>& program,
                               const SceneKey& key, compile::Compiler& compiler,
                               JobControl& control);

}  // namespace tilestep::workspace
