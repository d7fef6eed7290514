// The lesson that is open: finds and loads it, shows its beats, fills their words with values,
// judges answers, and keeps how far somebody is.
//
// Everything that executes a kernel or reads a file is a job of the pool; one job at a time has the
// lesson's runs (LessonEvaluator), and what comes back of a lesson that is closed is dropped.
#pragma once

#include "compile/compiler.h"
#include "course/practice.h"
#include "lesson/lesson.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "state/command.h"
#include "workspace/jobs.h"
#include "workspace/lab_controller.h"
#include "workspace/lesson_evaluator.h"
#include "workspace/paths.h"
#include "workspace/pool.h"
#include "workspace/shown_lesson.h"
#include "workspace/workspace.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::workspace {

// A lesson says what is shown, not how large and in which colours.
void keep_own_settings(const state::AppState& own, state::AppState& next);

class LessonController {
 public:
  // The workspace's own; all of it has to outlive this, but for the pool, whose threads have to end
  // before.
  struct Shared {
    const Paths& paths;
    state::AppState& state;  // of which this changes `course`
    FrameView& view;
    const CatalogPtr& catalog;
    compile::Compiler& compiler;
    // A whole state, and where in its run it stands.
    std::function<void(state::AppState next, std::optional<lesson::Place> place)> show;
    std::function<void(problem::LaunchSpec spec)> add_kernel;
    std::function<void(const state::Command& command)> apply;
  };
  LessonController(Pool& pool, Shared shared);

  void infer_with(Infer infer) { infer_ = std::move(infer); }
  // What may be asked next is made before it is, and the list is read at once.
  void look_ahead();
  // Before the state takes a command. True: it is carried out here, or will be.
  bool carry_out(const state::Command& command);
  // After it: shows the beat, judges the answer.
  void notice(const state::Command& command);
  // One that was opened as a file. The first beat is shown.
  void take(lesson::Lesson lesson) { load(std::move(lesson)); }
  // In every update: a film goes on, from when its beat is on stage. `now`: seconds, monotonic.
  // Whether it has changed the state.
  bool play(double now, bool is_moving);
  // In every update: what the view says of it. `is_moving`: the stage is not yet where it will be.
  void follow(bool is_moving);
  void cancel();

 private:
  struct Loaded {
    std::string name;
    std::string version;
    std::shared_ptr<const lesson::Lesson> lesson;
    // What is on stage does not wait for a number of a later beat, which may take half a minute.
    std::shared_ptr<LessonEvaluator> evaluator;
    std::shared_ptr<LessonEvaluator> ahead;
    std::string language;                    // of words and verdict
    std::map<std::size_t, BeatWords> words;  // filled, by beat
    std::optional<Result<ShownVerdict>> verdict;
    // What it is of: beat, how far, what was given.
    struct Judged {
      std::size_t beat = 0;
      state::Answering answering = state::Answering::Asked;
      std::string given;
      friend bool operator==(const Judged&, const Judged&) = default;
    };
    Judged judged;
    std::optional<std::size_t> on_stage;  // the beat that was shown last
    // What was graded last, by beat.
    struct Graded {
      std::string text;
      course::LabGrade grade;
    };
    std::map<std::size_t, Graded> graded;
    std::map<std::size_t, std::vector<ShownLabRow>> lab_rows;  // told, by beat
  };
  // Where the stage is taken once a lesson is there; nothing: it stays where it is.
  using Then = std::optional<int>;

  void open(const std::string& name, Then beat);
  void load(lesson::Lesson lesson);
  void end(std::uint64_t generation, Then beat, Result<lesson::Lesson> lesson,
           std::vector<problem::LaunchSpec> kernels);
  void show_beat();
  void follow_link(const std::string& target);
  void list();
  void grade();
  void take_grade(std::size_t beat, const std::string& text, const course::LabGrade& grade);
  void keep_lab_text();
  void follow_lab_text();
  void note_seen();
  void note_answer();
  void work();
  enum class By : std::uint8_t { Evaluator, Ahead };
  void fill(std::size_t beat, By by);
  void judge(const Loaded::Judged& wanted);
  [[nodiscard]] std::optional<std::size_t> unfilled_ahead() const;
  [[nodiscard]] int last_beat() const;
  [[nodiscard]] std::size_t beat() const;
  [[nodiscard]] Loaded::Judged judged_now() const;
  [[nodiscard]] bool has_wandered(const lesson::Position& home);
  void follow_language();
  [[nodiscard]] BeatWords words_of(std::size_t beat) const;
  void shown_words(std::size_t beat);
  void shown_question(std::size_t beat);
  void shown_lab(std::size_t beat);
  [[nodiscard]] const lesson::Lab* lab_of(std::size_t beat) const;
  void mark_progress();
  void tell(const Result<void>& kept);

  Pool& pool_;
  Shared shared_;
  Infer infer_;
  Progress progress_;
  LabController labs_;
  bool looks_ahead_ = false;
  std::optional<Loaded> loaded_;
  std::string wanted_;  // the name that is being loaded, or that cannot be; "": none
  std::uint64_t next_seed_ = std::random_device{}();  // of practice
  std::uint64_t generation_ = 0;  // of what was opened last: what comes back of others is dropped
  // The one that somebody asked for; a session's does not take its place.
  std::optional<std::uint64_t> opening_;
  std::string kept_text_;  // of a lab, as it was kept last
  std::chrono::steady_clock::time_point kept_at_;
  bool is_working_ = false;  // a job has the evaluator
  // The beats whose numbers are found out, by each of the two.
  std::optional<std::size_t> filling_;
  std::optional<std::size_t> filling_ahead_;
  std::string list_language_;  // of the list; "": it is not asked for yet
  std::optional<std::vector<LessonEntry>> list_;
  ShownLesson shown_;
  // The step of a beat's place in a recording.
  struct Home {
    Generation generation;  // of the scene
    std::size_t beat = 0;
    std::uint64_t step = 0;
  };
  std::optional<Home> home_;
  // The beat of a film that is on stage.
  struct Reel {
    std::size_t beat = 0;
    double since = 0.0;
    int moves = 0;  // that were made
  };
  std::optional<Reel> reel_;
};

// Questions that the program makes up of what is on stage, as a lesson.
[[nodiscard]] inline bool is_practice(const std::string& lesson) {
  return lesson == course::kPracticeId;
}

// Of where the state stands, and of all of the run where it is at the start. Does not begin with
// the question that was asked last. Fails where the kernel does not run, or nothing can be asked
// of it there.
[[nodiscard]] Result<lesson::Lesson> make_practice(state::AppState state, std::uint64_t seed,
                                                   const std::string& asked_last,
                                                   const CatalogPtr& catalog,
                                                   compile::Compiler& compiler);

}  // namespace tilestep::workspace
