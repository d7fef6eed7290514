// The workers' jobs: independent of the workspace's state, so a job can run while the next one is
// requested. Inputs and results are values.
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

// Everything that determines a recording. A user's file is used as it was read until the user
// accepts its new content.
struct SceneKey : state::Setup {
  std::string file_source;  // the text of a user's file as read last; empty: the catalog's

  SceneKey() = default;
  explicit SceneKey(state::Setup setup, const FileView& file = {})
      : Setup(std::move(setup)), file_source(file.path.empty() ? "" : file.text) {}
  // Whether it is made from these.
  [[nodiscard]] bool is_of(const state::Setup& setup, const FileView& file) const {
    return static_cast<const Setup&>(*this) == setup &&
           file_source == (file.path.empty() ? std::string_view() : std::string_view(file.text));
  }
  friend bool operator==(const SceneKey&, const SceneKey&) = default;
};

// A job keeps the catalog that it was started with: a catalog is never changed, but replaced by one
// with another kernel.
using CatalogPtr = std::shared_ptr<const problem::Catalog>;

[[nodiscard]] CatalogPtr with_kernel(const problem::Catalog& catalog, problem::LaunchSpec spec);

// Shared between the workspace and a running job.
struct JobControl {
  std::atomic<bool> cancel{false};
  std::atomic<std::uint64_t> progress{0};
  std::uint64_t keyframe_bytes = record::Options{}.keyframe_bytes;  // limit for a recording
};

// The result of making a scene: the scene, or a message.
struct SceneResult {
  bool is_first = true;  // of its key: further results differ only in the recording
  std::optional<Scene> scene;
  std::string message;  // why there is no scene
  // Messages of the compile, also warnings of a successful one.
  std::vector<compile::Diagnostic> diagnostics;
  std::string source;  // the text, even if it did not compile
};

// Described and compiled: a scene without a recording yet. Without a program, `result` has the
// reason.
struct SceneDraft {
  SceneResult result;
  std::shared_ptr<const simt::Program> program;
  simt::Schedule schedule;  // the key's, with the clocks of the launch
};
// `assets`: the folder of the table for a schedule as on the SM.
[[nodiscard]] SceneDraft draft_scene(const SceneKey& key, const problem::Catalog& catalog,
                                     compile::Compiler& compiler,
                                     const std::filesystem::path& assets);

// The blocks that are recorded before the whole grid, so that the stage soon has content: this one
// and neighbors, at most as many as are resident at once. Nullopt if that is the whole grid.
[[nodiscard]] std::optional<simt::BlockPart> part_ahead(
    const std::shared_ptr<const simt::Program>& program, std::uint32_t block);
[[nodiscard]] Result<std::shared_ptr<const record::Recording>> record_blocks(
    std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule,
    std::optional<simt::BlockPart> part, JobControl& control);
// The run's first steps, recorded in a tenth of a second; the whole run if it is not longer.
[[nodiscard]] Result<std::shared_ptr<const record::Recording>> record_start(
    std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule,
    JobControl& control);
// Whether the whole grid has too many steps for a recording, estimated from a part.
[[nodiscard]] bool whole_is_too_long(const record::Recording& part);

// Steps of a block whose sums can be followed within a frame, in 20 ms, …
inline constexpr std::uint64_t kQuicklyFollowed = 40'000;
// … or before a scene is put on stage: without sums, tiles have no colors and threads no numbers.
inline constexpr std::uint64_t kFollowedOnTheWay = 100'000;
void take_first_sums(Scene& scene, std::shared_ptr<const insight::BlockSums> sums);
// Adds this recording to the scene, and the sums of its first block and of the one in focus, if
// following them is quick.
void complete(Scene& scene, std::shared_ptr<const record::Recording> recording,
              std::uint32_t focus);

// Facts about a scene beyond its recording, which take longer.
struct Analysis {
  std::shared_ptr<const insight::CheckResult> check;
  std::shared_ptr<const insight::Counters> counters;
};
[[nodiscard]] Analysis analyse(const std::shared_ptr<const simt::Program>& program,
                               const simt::Schedule& schedule, compile::Compiler& compiler,
                               JobControl& control);

}  // namespace tilestep::workspace
