// Compiles and records what an AppState requests, in the background, and hands over the first
// result that the stage can show. Likely next requests are recorded ahead and kept.
//
// A grid that takes longer than a tenth of a second is recorded twice: first the focus block and
// its neighbors alone, then the whole grid. If the whole needs more steps than a recording holds,
// only such parts are recorded, each when one of its blocks gets the focus. A launch whose blocks
// need each other has no such part; then the start of the run is recorded first.
#pragma once

#include "compile/compiler.h"
#include "problem/describe/catalog.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "state/apply.h"
#include "state/command.h"
#include "workspace/jobs.h"
#include "workspace/paths.h"
#include "workspace/pool.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::workspace {

// Limits: for all kept runs including the one on stage, so that the process takes some 300 MB; and
// for the keyframes of one run that is recorded ahead.
inline constexpr std::uint64_t kKeptBytes = 100'000'000;
inline constexpr std::uint64_t kAheadBytes = 20'000'000;

class SceneMaker {
 public:
  // The pool's owner calls it for every result. A key may have several results with different
  // recordings, the whole one last. Returns false if the stage needs more of the run.
  using Take = std::function<bool(SceneResult result, const SceneKey& key)>;

  // All of them must outlive this object; the pool's threads must end before it.
  SceneMaker(const Paths& paths, Pool& pool, compile::Compiler& compiler, const CatalogPtr& catalog,
             Take take)
      : paths_(paths),
        pool_(pool),
        compiler_(compiler),
        catalog_(catalog),
        take_(std::move(take)) {}

  struct Wish {
    SceneKey key;
    std::uint32_t block = 0;  // in focus
    bool whole = false;       // a step of the whole run is requested, which no part has
    double now = 0.0;         // seconds
  };
  // The newest wish replaces earlier ones: an older job is cancelled and its result dropped. A
  // granted wish is not granted again. A kept run is handed over within the call.
  bool request(const Wish& wish);
  // Likely next requests, the likeliest first, and the limit for kept runs.
  void expect(std::vector<SceneKey> ahead, std::uint64_t most_bytes);
  // Records the expected runs one after the other while nothing else is recorded and there is room;
  // other kept runs are dropped for them. For a large grid the blocks around `block` are first.
  void prepare(std::uint32_t block);
  [[nodiscard]] bool is_kept(const SceneKey& key) const;
  [[nodiscard]] std::uint64_t kept_bytes() const;
  // The part of the grid on stage lacks this block: records a part that has it.
  void request_block(const Scene& scene, std::uint32_t block, double now);
  // The catalog's description of the kernel may have changed: the next wish is granted again.
  void forget();
  // Also cancels pending requests.
  void cancel();

  // Makes runs on stage be refined afterwards, for faster seeks, and kept.
  void look_ahead() { looks_ahead_ = true; }

  // True while the requested run is not on stage, and since when.
  [[nodiscard]] bool is_busy() const { return busy_; }
  [[nodiscard]] double busy_since() const { return busy_since_; }
  // A part or the start is on stage; the whole run is being recorded.
  [[nodiscard]] bool is_completing() const { return completing_; }
  [[nodiscard]] std::uint64_t recorded_steps() const;

 private:
  struct Kept {
    SceneKey key;
    SceneResult result;
  };
  void set_busy(double now);
  void keep(const SceneKey& key, SceneResult result);
  [[nodiscard]] std::ptrdiff_t rank_of(const SceneKey& key) const;
  bool make_room(std::uint64_t to_come, std::ptrdiff_t least_rank);
  void put_on_stage(SceneResult result, const SceneKey& key,
                    const std::shared_ptr<JobControl>& control, bool more_to_come);
  void submit(const Wish& wish, const std::shared_ptr<JobControl>& control, Urgency urgency);
  // On a worker's thread.
  [[nodiscard]] static Result<std::shared_ptr<const record::Recording>> record_ahead(
      const SceneDraft& draft, const Wish& wish, JobControl& control);
  [[nodiscard]] Completion make(const Wish& wish, const problem::Catalog& catalog,
                                const std::shared_ptr<JobControl>& control);
  [[nodiscard]] Completion deliver(SceneResult result, const SceneKey& key,
                                   const std::shared_ptr<JobControl>& control, bool more_to_come);

  const Paths& paths_;
  Pool& pool_;
  compile::Compiler& compiler_;
  const CatalogPtr& catalog_;
  Take take_;
  SceneKey requested_;
  bool anything_requested_ = false;
  std::optional<std::uint32_t> requested_block_;  // a failed one is not retried
  std::shared_ptr<JobControl> control_;
  std::shared_ptr<JobControl> block_control_;
  bool busy_ = false;
  double busy_since_ = 0.0;
  bool completing_ = false;
  bool looks_ahead_ = false;
  std::vector<Kept> kept_;                     // the last one on stage is at the end
  std::shared_ptr<JobControl> ahead_control_;  // of the run that is recorded ahead
  SceneKey ahead_key_;
  std::vector<SceneKey> expected_;
  std::uint64_t most_bytes_ = kKeptBytes;
  bool is_full_ = false;  // no further expected run has room
};

// A position in a run, in terms that other runs share.

// A moment that other runs have, too: the focus block's kind of phase, its tile, and the position
// within it. It survives a change of size, text, data or kernel.
struct Moment {
  enum class At : std::uint8_t { Start, Within, PhaseEnd, End };
  At at = At::Start;
  record::PhaseKind kind = record::PhaseKind::Other;
  int tile = -1;
  std::size_t part = 0;       // number of earlier phases of this kind and tile
  std::size_t index = 0;      // number of all earlier phases
  std::size_t statement = 0;  // statements into it: in the same kernel they add the same products
  double share = 0.0;         // share of all of its statements
};

[[nodiscard]] Moment moment_of(const record::Recording& recording, std::uint64_t step,
                               std::uint32_t block);
// The step of the same moment. A run without this kind of phase uses one with similar work (such as
// a load that also multiplies), a run without this tile an earlier one. `same_kernel`: the
// statements correspond.
[[nodiscard]] std::uint64_t step_at(const record::Recording& recording, const Moment& moment,
                                    std::uint32_t block, bool same_kernel = true);
// The end of the block's first load, when its tiles have values. 0 if it loads no tile, or if the
// recording is too short.
[[nodiscard]] std::uint64_t first_load_end(const record::Recording& recording, std::uint32_t block);

// Whether the recording includes this moment: a recording of a start may not.
[[nodiscard]] bool holds(const record::Recording& recording, const Moment& moment,
                         std::uint32_t block);

// The block whose place is kept if the recording on stage lacks the focus block: `last`, the
// previous one, or else the first of the part.
[[nodiscard]] inline std::uint32_t staged(simt::BlockPart part, std::uint32_t focus,
                                          std::uint32_t last) {
  return part.holds(focus) ? focus : part.holds(last) ? last : part.first;
}

// The block in focus after `statement`. If blocks run one after the other or in waves, the focus
// follows the ones that move; otherwise a step would change nothing on stage.
[[nodiscard]] std::uint32_t block_that_moved(const record::Recording& recording,
                                             const state::AppState& state,
                                             const record::Activity& statement);
// The state after a command once its scene is ready: its thread in focus, at the focus block's
// first statement on its line. If memory or a warp is shown, after that statement, because accesses
// and values exist only then.
[[nodiscard]] state::AppState arrived(state::AppState state, const state::OpenOnStage& to,
                                      const state::Context& context);

}  // namespace tilestep::workspace
