// The launches that the Timing tab wants counted, most urgent first, and the counting of one
// launch.
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

// A launch to count.
struct SurveyItem {
  std::string kernel;
  problem::Parameters parameters;
  int architecture = 0;            // for the occupancy; 0: none
  bool every_block = false;        // even if a sample would be enough
  std::string edited_source = {};  // "": the kernel's own text

  friend bool operator==(const SurveyItem&, const SurveyItem&) = default;
};

// The inputs of a survey. Owns nothing.
struct SurveyContext {
  const problem::Catalog* catalog = nullptr;
  const timing::DataSet* dataset = nullptr;      // the chosen one; may be null
  const timing::CounterSet* counters = nullptr;  // may be null
  int architecture = 0;
  int architecture_of_other = 0;  // of the point that the selected one is compared with
};

// The largest value of the sliders of M, N and K; larger sizes can be typed.
inline constexpr int kLargestSliderSize = 64;
// A square problem stays square; otherwise only N changes.
[[nodiscard]] constexpr problem::Problem with_size(problem::Problem size, int n) {
  return size.M == size.N && size.N == size.K ? problem::Problem{n, n, n}
                                              : problem::Problem{size.M, n, size.K};
}

// Parameters that the user may choose next, the likeliest first: the neighbors of BLOCK_SIZE and N,
// the most measured values of BLOCK_SIZE, twice and half of N.
[[nodiscard]] std::vector<problem::Parameters> likely_parameters(const problem::Parameters& now,
                                                                 bool uses_block_size);

// Every launch that the view shows: on the Step tab the one on stage, and the same kernel at the
// size of the timings.
[[nodiscard]] std::vector<SurveyItem> wanted(const state::AppState& state,
                                             const SurveyContext& context);

// Launches that a click may need next: the kernel on the stage with every BLOCK_SIZE, every
// measured kernel with the selected BLOCK_SIZE, then everything measured at this size. On the Step
// tab, what the BLOCK_SIZE slider may need.
[[nodiscard]] std::vector<SurveyItem> likely_next(const state::AppState& state,
                                                  const SurveyContext& context);
// Every measured launch and its next rung's: everything that its points can need.
[[nodiscard]] std::vector<SurveyItem> all_measured(const SurveyContext& context);
[[nodiscard]] bool is_of(const analysis::LaunchFacts& facts, const SurveyItem& item);

// Identifies launches of this kernel: BLOCK_SIZE is 0 if it has none, as in data sets.
[[nodiscard]] problem::Parameters own_parameters(const problem::LaunchSpec& spec,
                                                 problem::Parameters parameters);

// The rung of the ladder after this kernel in the catalog; null after the last.
[[nodiscard]] const problem::LaunchSpec* next_rung(const problem::Catalog& catalog,
                                                   const std::string& kernel);
// The last kernel of the ladder.
[[nodiscard]] inline bool is_last_rung(const problem::Catalog& catalog, const std::string& kernel) {
  const problem::LaunchSpec* const spec = catalog.find(kernel);
  return spec != nullptr && spec->ladder && next_rung(catalog, kernel) == nullptr;
}

// The tools for counting. Owns nothing.
struct CountTools {
  compile::Compiler& compiler;
  const std::atomic<bool>& cancel;
  KeptAnswers* kept = nullptr;  // read first, and updated afterwards; null: nothing is kept
};

// The kept facts of a launch, without counting; nullopt if there are none.
[[nodiscard]] std::optional<analysis::LaunchFacts> recall_launch(const SurveyItem& item,
                                                                 const problem::Catalog& catalog,
                                                                 const CountTools& tools);

// Counts one launch. Nullopt if cancelled.
[[nodiscard]] std::optional<analysis::LaunchFacts> count_launch(const SurveyItem& item,
                                                                const problem::Catalog& catalog,
                                                                const CountTools& tools);

// Counting a launch of any size, shared by the window, `counters` and `why`.

// `prepared` was made with problem::BufferContents::Zero: such buffers take no memory, and if the
// proof of insight/count/profile.h holds, counts do not depend on contents. If proving takes too
// long, a sample of proved blocks needs no contents either. Otherwise `fill` prepares it again with
// contents (false: they are too large, and zeros are used, as above 96 MiB), and all blocks or a
// sample of them are executed. If cancelled: the counts so far.
[[nodiscard]] insight::Profile count_launch(const loading::Prepared& prepared,
                                            const std::function<bool()>& fill,
                                            const std::atomic<bool>* cancel = nullptr);

// Answers made in advance for a package (app/answers.cpp).

// Counts these launches on all cores and keeps those that are not kept yet. `done`, called from
// several threads, gets the number of launches processed. Returns how many have a reason instead of
// an answer.
std::size_t make_answers(std::span<const SurveyItem> items, const problem::Catalog& catalog,
                         const CountTools& tools, const std::function<void(std::size_t)>& done);

}  // namespace tilestep::workspace
