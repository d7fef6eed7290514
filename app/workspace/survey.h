// What the Timing tab wants counted, most urgent first, and counting one launch.
#pragma once

#include "analysis/launch_facts.h"
#include "compile/compiler.h"
#include "insight/count/profile.h"
#include "loading/prepare.h"
#include "problem/describe/catalog.h"
#include "state/app_state.h"
#include "timing/counter_set.h"
#include "timing/dataset.h"
#include "workspace/kept_answers.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilestep::workspace {

struct SurveyItem {
  std::string kernel;
  problem::Parameters parameters;
  int architecture = 0;            // for the occupancy; 0: none
  bool every_block = false;        // where only a sample would be counted
  std::string edited_source = {};  // "": the kernel's own text

  friend bool operator==(const SurveyItem&, const SurveyItem&) = default;
};

// What a survey looks at. Nothing is owned.
struct SurveyContext {
  const problem::Catalog* catalog = nullptr;
  const timing::DataSet* dataset = nullptr;      // the chosen one; may be null
  const timing::CounterSet* counters = nullptr;  // likewise
  int architecture = 0;
  int architecture_of_other = 0;  // of the point that the selected one is compared with
};

// The end of the sliders of M, N and K; larger sizes are typed.
inline constexpr int kLargestSliderSize = 64;
// A square problem stays one; else N alone changes.
[[nodiscard]] constexpr problem::Problem with_size(problem::Problem size, int n) {
  return size.M == size.N && size.N == size.K ? problem::Problem{n, n, n}
                                              : problem::Problem{size.M, n, size.K};
}

// What somebody who explores may choose next, the likeliest first: the neighbours of BLOCK_SIZE and
// N, the values of BLOCK_SIZE that are measured most, twice and half of N.
[[nodiscard]] std::vector<problem::Parameters> likely_parameters(const problem::Parameters& now,
                                                                 bool uses_block_size);

// Every launch that the view shows something of: on the Step tab the one on stage, and the same
// kernel at the size that timings are of.
[[nodiscard]] std::vector<SurveyItem> wanted(const state::AppState& state,
                                             const SurveyContext& context);

// What a click may ask for next: the kernel on the stage with every BLOCK_SIZE, every measured
// kernel with the BLOCK_SIZE that is selected, then all that was measured at this size. On the Step
// tab what the slider of BLOCK_SIZE may ask for.
[[nodiscard]] std::vector<SurveyItem> likely_next(const state::AppState& state,
                                                  const SurveyContext& context);
// Every launch that was measured, and for each the next rung's: all that its points can ask about.
[[nodiscard]] std::vector<SurveyItem> all_measured(const SurveyContext& context);
[[nodiscard]] bool is_of(const analysis::LaunchFacts& facts, const SurveyItem& item);

// What tells launches of this kernel apart: BLOCK_SIZE is 0 where it has none, as in data sets.
[[nodiscard]] problem::Parameters own_parameters(const problem::LaunchSpec& spec,
                                                 problem::Parameters parameters);

// The rung of the ladder that comes after this kernel in the catalog; null after the last.
[[nodiscard]] const problem::LaunchSpec* next_rung(const problem::Catalog& catalog,
                                                   const std::string& kernel);
// A kernel of the ladder that none comes after.
[[nodiscard]] inline bool is_last_rung(const problem::Catalog& catalog, const std::string& kernel) {
  const problem::LaunchSpec* const spec = catalog.find(kernel);
  return spec != nullptr && spec->ladder && next_rung(catalog, kernel) == nullptr;
}

// What counting needs. Nothing is owned.
struct CountTools {
  compile::Compiler& compiler;
  const std::atomic<bool>& cancel;
  KeptAnswers* kept = nullptr;  // asked first, and told afterwards; null: nothing is kept
};

// One that was counted before, without counting. Nothing: it was not.
[[nodiscard]] std::optional<analysis::LaunchFacts> recall_launch(const SurveyItem& item,
                                                                 const problem::Catalog& catalog,
                                                                 const CountTools& tools);

// Counts one launch. Nothing when cancelled.
[[nodiscard]] std::optional<analysis::LaunchFacts> count_launch(const SurveyItem& item,
                                                                const problem::Catalog& catalog,
                                                                const CountTools& tools);

// Counting a launch of any size: what the window, `counters` and `why` share.

// `prepared` was made with problem::BufferContents::Zero: such buffers take no memory, and where
// the proof of insight/count/profile.h holds, counts depend on no contents. Where proving takes too
// long, a sample of proved blocks needs none either. Otherwise `fill` makes it again with contents
// (false: they are too large, and zeros have to do, as above 96 MiB), and all blocks are executed,
// or a sample of them. Cancelled: what was counted so far.
[[nodiscard]] insight::Profile count_launch(const loading::Prepared& prepared,
                                            const std::function<bool()>& fill,
                                            const std::atomic<bool>* cancel = nullptr);

// Answers made before anybody asks: for a package (app/answers.cpp).

// Counts these launches on all cores and keeps what is not kept yet. `done`, called from several
// threads, hears how many were looked at. Returns how many have a reason instead of an answer.
std::size_t make_answers(std::span<const SurveyItem> items, const problem::Catalog& catalog,
                         const CountTools& tools, const std::function<void(std::size_t)>& done);

}  // namespace tilestep::workspace
