#include "workspace/scene_maker.h"

#include "workspace/workspace.h"

#include <fmt/format.h>

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
  busy_ = false;
  completing_ = false;
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
  set_busy(wish.now);
  control_ = std::make_shared<JobControl>();
  pool_.submit([this, wish, catalog = catalog_, control = control_]() -> Completion {
    return control->cancel ? Completion{} : make(wish, *catalog, control);
  });
  return true;
}

Completion SceneMaker::deliver(SceneResult result, const SceneKey& key,
                               const std::shared_ptr<JobControl>& control, bool more_to_come) {
  return [this, key, control, more_to_come,
          result = std::make_shared<SceneResult>(std::move(result))] {
    if (control->cancel) {
      return;
    }
    completing_ = more_to_come;
    if (!more_to_come) {
      cancel_job(block_control_);
    }
    const auto run =
        refines_ && !more_to_come && result->scene ? result->scene->recording : nullptr;
    busy_ = !take_(std::move(*result), key) && more_to_come;
    pool_.submit([run, control]() -> Completion {
      { const GivesMemoryBack of_what_was_on_stage; }
      if (run && !control->cancel) {
        run->refine(&control->cancel);
      }
      return {};
    });
  };
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
    complete(*first.scene, std::move(*ahead));
    Completion result = deliver(std::move(first), wish.key, control, !is_all);
    if (is_all) {
      return result;
    }
    pool_.hand_over(std::move(result));
    draft.result.is_first = false;
  }
  auto whole = record_blocks(draft.program, wish.key.schedule, std::nullopt, *control);
  if (whole) {
    complete(*draft.result.scene, std::move(*whole));
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
      complete(*result.scene, std::move(*part));
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
