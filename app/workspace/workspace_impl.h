// The parts of a Workspace; private to it (workspace.cpp, workspace_commands.cpp).
#pragma once

#include "state/apply.h"
#include "state/history.h"
#include "workspace/bench.h"
#include "workspace/chart_request.h"
#include "workspace/count_scheduler.h"
#include "workspace/file_controller.h"
#include "workspace/followers.h"
#include "workspace/jobs.h"
#include "workspace/lesson_controller.h"
#include "workspace/narration_cache.h"
#include "workspace/pool.h"
#include "workspace/scene_maker.h"
#include "workspace/second_side.h"
#include "workspace/sm_follower.h"
#include "workspace/workspace.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::workspace {

struct Workspace::Impl {
  Impl(Paths paths_in, compile::Compiler& compiler_in, Role role_in);
  ~Impl();

  void request_scene(double now);
  // Returns whether it includes the stage's place.
  bool take_scene(SceneResult result, const SceneKey& key);
  // Keeps block and thread in focus within the scene on stage. A state that requests another scene
  // may name some that only that scene has: they are set once it is ready.
  void keep_focus_on_stage();
  void take_moment(const Moment& moment, bool same_kernel, bool same_run);
  // Updated only if something of it has changed, because it holds texts.
  const SceneKey& wanted_scene();
  void prepare_neighbours();
  void request_analysis();
  void go_to_wanted_place();
  void apply(const state::Command& command);
  bool go_through_history(const state::Command& command);
  bool take_outcome(const std::optional<SourceFile::Outcome>& outcome);
  void add_kernel(problem::LaunchSpec spec);
  void take_file(OpenedFile opened);
  void take_state(state::AppState next, std::optional<lesson::Place> place);
  bool play(double now);  // true: the picture changes
  void go_to_event(const insight::EventAnswer& answer);
  void follow_execution();
  void show_sums(std::uint64_t step);
  void refresh();
  void load_measurements();
  void show_timings();
  void survey();
  void show_sm();
  [[nodiscard]] bool explains_point() const;
  void take_facts();
  void follow_language();
  void retranslate();
  [[nodiscard]] state::Context context() const {
    const auto& beside = second.beside();
    return {scene ? scene->recording.get() : nullptr, catalog.get(),
            beside != nullptr ? beside->joint.get() : nullptr};
  }
  // The least urgency of a job that may run now. Without threads a job holds a frame up, so what is
  // useful only later waits until the user pauses.
  [[nodiscard]] Urgency urgency_now(bool is_commanded, double now) {
    constexpr double kPause = 1.5;
    if (is_commanded || state.playing) {
      last_command_time = now;
    }
    return now - last_command_time >= kPause ? Urgency::Later : Urgency::Now;
  }
  // The stage has not reached its target yet.
  [[nodiscard]] bool is_moving() const {
    return maker.is_busy() || wanted_lesson_place.has_value();
  }
  void go_to_difference(int direction);

  Paths paths;
  CatalogPtr catalog;
  compile::Compiler& compiler;
  Role role;

  state::AppState state;
  std::shared_ptr<JobControl> analysis_control;

  std::shared_ptr<const Scene> scene;
  SceneKey scene_key;
  SceneKey wanted_key;
  SceneKey expected_after;         // the maker's expectations are valid for this scene
  bool shares_room = false;        // … and for sharing room with another side's runs
  std::uint32_t staged_block = 0;  // the last block in focus that the recording holds
  bool analysis_is_due = false;
  struct FocusToCome {
    state::Focus focus;
    state::Focus meanwhile;  // in focus until then; if it changes, the user chose another one
  };
  std::optional<FocusToCome> focus_to_come;
  bool wants_first_load = false;  // once the run on stage is recorded that far
  bool step_is_exact = false;     // `state.step` refers to the whole run of the next scene
  Analysis analysis;

  // The key of the current view.
  Generation viewed_generation;
  std::uint64_t viewed_step = 0;
  state::Focus viewed_focus;

  TimingKey shown_key;  // the key of view.timing.shown

  state::History history;
  double last_time = 0.0;
  double last_command_time = 0.0;
  bool was_playing = false;
  double statements_due = 0.0;
  std::uint64_t last_step = 0;
  std::string language;  // of the state, as requested last
  // Set once the requested scene is ready.
  state::OpenOnStage wanted_place;
  std::optional<lesson::Place> wanted_lesson_place;

  bool looks_ahead = false;
  FrameView view;
  KeptAnswers kept{answer_options(paths)};
  CountScheduler count_scheduler{pool, compiler, catalog, &kept};
  SceneMaker maker{paths, pool, compiler, catalog, [this](SceneResult result, const SceneKey& key) {
                     return take_scene(std::move(result), key);
                   }};
  SumFollower follower{pool, [this](const auto& recording, auto first) {
                         if (scene && scene->recording == recording) {
                           auto next = std::make_shared<Scene>(*scene);
                           take_first_sums(*next, std::move(first));
                           next->generation = Generation::next();
                           scene = std::move(next);
                         }
                       }};
  NarrationCache narration{pool};
  BenchRunner bench{pool, {paths, catalog, compiler, state, view.timing}};
  SourceFile file;
  Disassembler disassembler{pool, compiler};
  FlowFollower flow{pool, compiler, catalog};
  ContrastFollower contrast{paths, pool, compiler, catalog};
  SmFollower sm{paths, pool, compiler, catalog};
  SmFollower sm_against{paths, pool, compiler, catalog};
  FileController files{pool,
                       {paths, state, view, [this](auto opened) { take_file(std::move(opened)); }}};
  LessonController lessons{pool,
                           {paths, state, view, catalog, compiler,
                            [this](auto next, auto place) { take_state(std::move(next), place); },
                            [this](auto spec) { add_kernel(std::move(spec)); },
                            [this](const state::Command& command) { apply(command); }}};
  EventRunner runner{pool, [this](const auto& answer) { go_to_event(answer); }};
  SecondSide second{paths, compiler, pool};
  Pool pool{kHasThreads ? 3 : 0,
            kHasThreads ? 2 : 0};  // last: its threads must end before the members that they use
};

}  // namespace tilestep::workspace
