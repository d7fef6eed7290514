#include "workspace/scene_maker.h"

#include "workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <malloc.h>

namespace tilestep::workspace {
namespace {

// A recording leaves holes of tens of megabytes behind, which the allocator would keep.
struct GivesMemoryBack {
  GivesMemoryBack() = default;
  ~GivesMemoryBack() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  }
  GivesMemoryBack(const GivesMemoryBack&) = delete;
  GivesMemoryBack& operator=(const GivesMemoryBack&) = delete;
  GivesMemoryBack(GivesMemoryBack&&) = delete;
  GivesMemoryBack& operator=(GivesMemoryBack&&) = delete;
};

void cancel_job(std::shared_ptr<JobControl>& control) {
  if (control) {
    control->cancel = true;
    control.reset();
  }
}

}  // namespace

std::uint64_t SceneMaker::recorded_steps() const {
  const std::shared_ptr<JobControl>& control = block_control_ ? block_control_ : control_;
  return control && (busy_ || completing_) ? control->progress.load() : 0;
}

void SceneMaker::set_busy(double now) {
  busy_since_ = busy_ ? busy_since_ : now;
  busy_ = true;
}

void SceneMaker::cancel() {
  cancel_job(control_);
  cancel_job(block_control_);
  cancel_job(ahead_control_);
  busy_ = false;
  completing_ = false;
}

void SceneMaker::forget() {
  anything_requested_ = false;
  kept_.clear();
  is_full_ = false;
  cancel_job(ahead_control_);
}

bool SceneMaker::request(const Wish& wish) {
  if (anything_requested_ && wish.key == requested_) {
    return false;
  }
  cancel_job(control_);
  cancel_job(block_control_);
  requested_ = wish.key;
  anything_requested_ = true;
  completing_ = false;
  control_ = std::make_shared<JobControl>();
  if (const auto kept = std::ranges::find(kept_, wish.key, &Kept::key); kept != kept_.end()) {
    std::rotate(kept, std::next(kept), kept_.end());
    put_on_stage(kept_.back().result, wish.key, control_, false);
    return true;
  }
  set_busy(wish.now);
  if (ahead_control_ && ahead_key_ == wish.key) {
    control_ = std::exchange(ahead_control_, nullptr);  // it is on its way
    return true;
  }
  cancel_job(ahead_control_);
  submit(wish, control_, Urgency::Now);
  return true;
}

void SceneMaker::submit(const Wish& wish, const std::shared_ptr<JobControl>& control,
                        Urgency urgency) {
  pool_.submit(
      [this, wish, catalog = catalog_, control]() -> Completion {
        return control->cancel ? Completion{} : make(wish, *catalog, control);
      },
      urgency);
}

bool SceneMaker::is_kept(const SceneKey& key) const {
  return std::ranges::find(kept_, key, &Kept::key) != kept_.end();
}

std::uint64_t SceneMaker::kept_bytes() const {
  std::uint64_t bytes = 0;
  for (const Kept& kept : kept_) {
    bytes += kept.result.scene ? kept.result.scene->recording->bytes() : 0;
  }
  return bytes;
}

void SceneMaker::keep(const SceneKey& key, SceneResult result) {
  if (!looks_ahead_) {
    return;  // nobody moves on from what `render` shows
  }
  result.is_first = true;
  std::erase_if(kept_, [&](const Kept& kept) { return kept.key == key; });
  kept_.push_back({key, std::move(result)});
  make_room(0, 0);
}

// What is asked for, then what is expected by its likelihood, then the rest.
std::ptrdiff_t SceneMaker::rank_of(const SceneKey& key) const {
  return key == requested_ ? -1 : std::ranges::find(expected_, key) - expected_.begin();
}

// The last in rank go, but for those before `least_rank`. Whether there is room.
bool SceneMaker::make_room(std::uint64_t to_come, std::ptrdiff_t least_rank) {
  while (kept_bytes() + to_come > most_bytes_) {
    const auto last =
        std::ranges::max_element(kept_, {}, [this](const Kept& kept) { return rank_of(kept.key); });
    if (last == kept_.end() || rank_of(last->key) < least_rank) {
      return false;
    }
    is_full_ = is_full_ || rank_of(last->key) < std::ssize(expected_);
    kept_.erase(last);
  }
  return true;
}

void SceneMaker::expect(std::vector<SceneKey> ahead, std::uint64_t most_bytes) {
  expected_ = std::move(ahead);
  most_bytes_ = most_bytes;
  is_full_ = false;
  if (ahead_control_ && std::ranges::find(expected_, ahead_key_) == expected_.end()) {
    cancel_job(ahead_control_);
  }
  make_room(0, 0);
}

void SceneMaker::prepare(std::uint32_t block) {
  if (is_full_ || ahead_control_ || busy_ || completing_ || block_control_) {
    return;
  }
  const auto next = std::ranges::find_if(
      expected_, [&](const SceneKey& key) { return key != requested_ && !is_kept(key); });
  if (next == expected_.end()) {
    return;
  }
  if (!make_room(kAheadBytes, next - expected_.begin() + 1)) {
    is_full_ = true;
    return;
  }
  ahead_control_ = std::make_shared<JobControl>();
  ahead_control_->keyframe_bytes = kAheadBytes;
  ahead_key_ = *next;
  submit({*next, block, false, 0.0}, ahead_control_, Urgency::Later);
}

// What was recorded ahead is kept for later, unless it was asked for meanwhile.
Completion SceneMaker::deliver(SceneResult result, const SceneKey& key,
                               const std::shared_ptr<JobControl>& control, bool more_to_come) {
  return [this, key, control, more_to_come,
          result = std::make_shared<SceneResult>(std::move(result))] {
    if (control->cancel) {
      return;
    }
    if (!more_to_come) {
      keep(key, *result);
    }
    if (control == ahead_control_) {
      if (!more_to_come) {
        ahead_control_.reset();
      }
      return;
    }
    put_on_stage(std::move(*result), key, control, more_to_come);
  };
}

void SceneMaker::put_on_stage(SceneResult result, const SceneKey& key,
                              const std::shared_ptr<JobControl>& control, bool more_to_come) {
  completing_ = more_to_come;
  if (!more_to_come) {
    cancel_job(block_control_);
  }
  const auto run =
      looks_ahead_ && !more_to_come && result.scene ? result.scene->recording : nullptr;
  busy_ = !take_(std::move(result), key) && more_to_come;
  pool_.submit(
      [this, run, control]() -> Completion {
        { const GivesMemoryBack of_what_was_on_stage; }
        if (run && !control->cancel) {
          run->refine(&control->cancel);
        }
        return [this] { make_room(0, 0); };  // what is refined has grown
      },
      Urgency::Later);
}

// What is soon there: some blocks of a large grid; where they need others, the start of the whole
// run. Nothing where the stage wants a step of the whole.
Result<std::shared_ptr<const record::Recording>> SceneMaker::record_ahead(
    const std::shared_ptr<const simt::Program>& program, const Wish& wish, JobControl& control) {
  if (wish.whole) {
    return tl::unexpected(Error{});
  }
  if (const auto part = part_ahead(program, wish.block)) {
    if (auto wave = record_blocks(program, wish.key.schedule, part, control)) {
      return wave;
    }
  }
  return record_start(program, wish.key.schedule, control);
}

Completion SceneMaker::make(const Wish& wish, const problem::Catalog& catalog,
                            const std::shared_ptr<JobControl>& control) {
  const GivesMemoryBack at_the_end;
  SceneDraft draft = draft_scene(wish.key, catalog, compiler_);
  if (!draft.program || control->cancel) {
    return deliver(std::move(draft.result), wish.key, control, false);
  }
  if (auto ahead = record_ahead(draft.program, wish, *control)) {
    const bool is_all = (*ahead)->is_whole() ? (*ahead)->is_complete() : whole_is_too_long(**ahead);
    SceneResult first = draft.result;
    complete(*first.scene, std::move(*ahead), wish.block);
    Completion result = deliver(std::move(first), wish.key, control, !is_all);
    if (is_all) {
      return result;
    }
    pool_.hand_over(std::move(result));
    draft.result.is_first = false;
  }
  auto whole = record_blocks(draft.program, wish.key.schedule, std::nullopt, *control);
  if (whole) {
    complete(*draft.result.scene, std::move(*whole), wish.block);
  } else {
    draft.result.scene.reset();
    draft.result.message = whole.error().message;
  }
  return deliver(std::move(draft.result), wish.key, control, false);
}

void SceneMaker::request_block(const Scene& scene, std::uint32_t block, double now) {
  if (requested_block_ == block) {
    return;
  }
  cancel_job(block_control_);
  block_control_ = std::make_shared<JobControl>();
  requested_block_ = block;
  set_busy(now);
  SceneResult result;
  result.is_first = false;
  result.scene = scene;
  result.scene->recording.reset();  // the old one is not to outlive its time on stage
  pool_.submit([this, block, key = requested_, result = std::move(result),
                program = scene.recording->shared_program(),
                control = block_control_]() mutable -> Completion {
    if (auto part = record_blocks(program, key.schedule, part_ahead(program, block), *control)) {
      complete(*result.scene, std::move(*part), block);
    } else {
      result.scene.reset();
      result.message = part.error().message;
    }
    return [this, key, control, result = std::make_shared<SceneResult>(std::move(result))] {
      if (control->cancel) {
        return;
      }
      block_control_.reset();
      busy_ = false;
      if (result->scene) {
        requested_block_.reset();
      }
      take_(std::move(*result), key);
    };
  });
}

}  // namespace tilestep::workspace
