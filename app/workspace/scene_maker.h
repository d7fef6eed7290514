// Compiles and records what an AppState asks for, in the background, and hands over what the stage
// can show as soon as there is any. What may be asked for next is recorded ahead and kept.
//
// A grid that takes longer than a tenth of a second is recorded twice: first the focus block with
// its neighbours, by themselves, then the whole grid. Where the whole needs more steps than a
// recording holds, such parts are all there is: each is recorded when the focus comes to one of its
// blocks. A launch whose blocks need each other has no such part: of it the start of the run comes
// first.
#pragma once

#include "compile/compiler.h"
#include "problem/describe/catalog.h"
#include "record/recording.h"
#include "state/app_state.h"
#include "state/apply.h"
#include "state/command.h"
#include "workspace/jobs.h"
#include "workspace/pool.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tilestep::workspace {

// Bounds: all runs that are kept, the one on stage among them, so that the process takes some 300
// MB; the keyframes of one run that is recorded ahead.
inline constexpr std::uint64_t kKeptBytes = 110'000'000;
inline constexpr std::uint64_t kAheadBytes = 20'000'000;

class SceneMaker {
 public:
  // Called by the pool's owner whenever a result is there. A key may have several, each with
  // another recording, the whole one last. False: the stage needs more of the run than this.
  using Take = std::function<bool(SceneResult result, const SceneKey& key)>;

  // All of them have to outlive this, but for the pool, whose threads have to end before.
  SceneMaker(Pool& pool, compile::Compiler& compiler, const CatalogPtr& catalog, Take take)
      : pool_(pool), compiler_(compiler), catalog_(catalog), take_(std::move(take)) {}

  struct Wish {
    SceneKey key;
    std::uint32_t block = 0;  // in focus
    bool whole = false;       // a step of the whole run is asked for: no part has it
    double now = 0.0;         // seconds
  };
  // The newest wish wins: a job for an older one is cancelled, and its result dropped. One that was
  // granted is not granted again. A run that is kept is handed over at once, within the call.
  bool request(const Wish& wish);
  // What may be asked for next, the likeliest first, and how much is kept at most.
  void expect(std::vector<SceneKey> ahead, std::uint64_t most_bytes);
  // While nothing else is recorded these are, one after the other, as long as there is room; others
  // that are kept make room for them. Of a large grid the blocks around `block` come first.
  void prepare(std::uint32_t block);
  [[nodiscard]] bool is_kept(const SceneKey& key) const;
  [[nodiscard]] std::uint64_t kept_bytes() const;
  // What stands on stage is a part of the grid without this block: a part with it is recorded.
  void request_block(const Scene& scene, std::uint32_t block, double now);
  // What the catalog says of the kernel may be another now: the next wish is granted again.
  void forget();
  // Also of what was asked for and is not there yet.
  void cancel();

  // Runs that came on stage are refined afterwards, so that seeks in them are faster, and kept.
  void look_ahead() { looks_ahead_ = true; }

  // Nothing of what was asked for is on stage yet, since when.
  [[nodiscard]] bool is_busy() const { return busy_; }
  [[nodiscard]] double busy_since() const { return busy_since_; }
  // A part or the start is on stage, the whole run is being recorded.
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
      const std::shared_ptr<const simt::Program>& program, const Wish& wish, JobControl& control);
  [[nodiscard]] Completion make(const Wish& wish, const problem::Catalog& catalog,
                                const std::shared_ptr<JobControl>& control);
  [[nodiscard]] Completion deliver(SceneResult result, const SceneKey& key,
                                   const std::shared_ptr<JobControl>& control, bool more_to_come);

  Pool& pool_;
  compile::Compiler& compiler_;
  const CatalogPtr& catalog_;
  Take take_;
  SceneKey requested_;
  bool anything_requested_ = false;
  std::optional<std::uint32_t> requested_block_;  // one that failed is not tried again
  std::shared_ptr<JobControl> control_;
  std::shared_ptr<JobControl> block_control_;
  bool busy_ = false;
  double busy_since_ = 0.0;
  bool completing_ = false;
  bool looks_ahead_ = false;
  std::vector<Kept> kept_;                     // the one that was on stage last is the last
  std::shared_ptr<JobControl> ahead_control_;  // of what is recorded ahead
  SceneKey ahead_key_;
  std::vector<SceneKey> expected_;
  std::uint64_t most_bytes_ = kKeptBytes;
  bool is_full_ = false;  // no more of what is expected has room
};

// Where in a run one is, in terms that outlive the run.

// A moment that other runs have, too: what kind of phase the focus block is in, of which tile, and
// how far into it. It survives a change of size, text, data or kernel.
struct Moment {
  enum class At : std::uint8_t { Start, Within, PhaseEnd, End };
  At at = At::Start;
  record::PhaseKind kind = record::PhaseKind::Other;
  int tile = -1;
  std::size_t part = 0;       // phases of this kind and tile before it
  std::size_t index = 0;      // all phases before it
  std::size_t statement = 0;  // statements into it: in the same kernel they add the same products
  double share = 0.0;         // … of all of its statements
};

[[nodiscard]] Moment moment_of(const record::Recording& recording, std::uint64_t step,
                               std::uint32_t block);
// The same moment. A run without this kind of phase has one that does similar work (a load that
// multiplies, too), one without this tile an earlier one. `same_kernel`: statements are alike.
[[nodiscard]] std::uint64_t step_at(const record::Recording& recording, const Moment& moment,
                                    std::uint32_t block, bool same_kernel = true);
// The end of the block's first load: there is something in its tiles. 0 where it loads no tile, and
// where the recording does not go as far.
[[nodiscard]] std::uint64_t first_load_end(const record::Recording& recording, std::uint32_t block);

// Whether the recording goes as far as this moment: one of a start may not.
[[nodiscard]] bool holds(const record::Recording& recording, const Moment& moment,
                         std::uint32_t block);

// The block whose place is kept when the recording on stage has not the focus block: `last`, the
// one that was, or else the first of the part.
[[nodiscard]] inline std::uint32_t staged(simt::BlockPart part, std::uint32_t focus,
                                          std::uint32_t last) {
  return part.holds(focus) ? focus : part.holds(last) ? last : part.first;
}

// Where blocks run one after the other, or in waves, the focus goes along with those that move:
// otherwise a step would change nothing on stage. The block in focus after `statement`.
[[nodiscard]] std::uint32_t block_that_moved(const record::Recording& recording,
                                             const state::AppState& state,
                                             const record::Activity& statement);
// The state that a command has left, once the scene that it asked for is there: its thread in
// focus, at the focus block's first statement on its line. Where memory or a warp is to be seen,
// after it: accesses and values are shown once they are made.
[[nodiscard]] state::AppState arrived(state::AppState state, const state::OpenOnStage& to,
                                      const state::Context& context);

}  // namespace tilestep::workspace
