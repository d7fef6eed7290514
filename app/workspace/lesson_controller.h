// The open lesson: finds and loads it, shows its beats, fills its texts with values, judges
// answers, and keeps the user's progress.
//
// Everything that executes a kernel or reads a file is a job of the pool. One job at a time uses
// the lesson's runs (LessonEvaluator); results for a closed lesson are dropped.
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

// A lesson determines what is shown, but not its size and colors.
void keep_own_settings(const state::AppState& own, state::AppState& next);

class LessonController {
 public:
  // Belongs to the workspace; all of it must outlive this object, and the pool's threads must end
  // before it.
  struct Shared {
    const Paths& paths;
    state::AppState& state;  // this class changes its `course`
    FrameView& view;
    const CatalogPtr& catalog;
    compile::Compiler& compiler;
    // Shows a whole state and its place in the run.
    std::function<void(state::AppState next, std::optional<lesson::Place> place)> show;
    std::function<void(problem::LaunchSpec spec)> add_kernel;
    std::function<void(const state::Command& command)> apply;
  };
  LessonController(Pool& pool, Shared shared);

  void infer_with(Infer infer) { infer_ = std::move(infer); }
  // Prepares probable requests in advance; reads the list at once.
  void look_ahead();
  // Call before the state takes a command. Returns true if the command is carried out here, now or
  // later.
  bool carry_out(const state::Command& command);
  // Call after it: shows the beat, judges the answer.
  void notice(const state::Command& command);
  // Takes a lesson that was opened as a file, and shows its first beat.
  void take(lesson::Lesson lesson) { load(std::move(lesson)); }
  // Call in every update, before its commands: counts the time of the beat on stage. `now`:
  // seconds, monotonic.
  void pass_time(double now);
  // Call in every update: advances a film once its beat is on stage. `now`: seconds, monotonic.
  // Returns whether the state changed.
  bool play(double now, bool is_moving);
  // Call in every update: makes the view of the lesson. `is_moving`: the stage has not reached its
  // target yet.
  void follow(bool is_moving);
  void cancel();

 private:
  struct Loaded {
    std::string name;
    std::string version;
    std::shared_ptr<const lesson::Lesson> lesson;
    // Two evaluators: the beat on stage does not wait for a number of a later beat, which may take
    // half a minute.
    std::shared_ptr<LessonEvaluator> evaluator;
    std::shared_ptr<LessonEvaluator> ahead;
    std::string language;                    // of texts and verdict
    std::map<std::size_t, BeatWords> words;  // filled, by beat
    std::optional<Result<ShownVerdict>> verdict;
    // The subject of the verdict: beat, state of the question, given answer.
    struct Judged {
      std::size_t beat = 0;
      state::Answering answering = state::Answering::Asked;
      std::string given;
      friend bool operator==(const Judged&, const Judged&) = default;
    };
    Judged judged;
    // The first answer with its verdict, while the question is asked a second time.
    std::optional<std::pair<Judged, ShownVerdict>> missed;
    std::optional<std::size_t> on_stage;  // the last beat that was shown
    // The latest grade, by beat.
    struct Graded {
      std::string text;
      course::LabGrade grade;
    };
    std::map<std::size_t, Graded> graded;
    // Translated, by beat and seed of the variant.
    std::map<std::pair<std::size_t, std::string>, std::vector<ShownLabRow>> lab_rows;
    std::map<std::size_t, std::string> starters;  // of labs, by beat
    // The variant of a lab that the text on stage names.
    struct Variant {
      std::size_t beat = 0;
      std::string seed;
      lesson::Lab lab;
    };
    std::optional<Variant> variant;
  };
  // The beat to show once a lesson is loaded; nullopt: the stage does not change.
  using Then = std::optional<int>;

  void open(const std::string& name, Then beat);
  void load(lesson::Lesson lesson);
  void end(std::uint64_t generation, Then beat, Result<lesson::Lesson> lesson,
           std::vector<problem::LaunchSpec> kernels);
  void show_beat();
  [[nodiscard]] std::string starter_of(const lesson::Lab& lab);
  void follow_link(const std::string& target);
  void list();
  void grade();
  void take_grade(std::size_t beat, const std::string& text, const course::LabGrade& grade);
  void keep_lab_text();
  void follow_lab_text();
  void note_seen();
  void note_answer();
  void keep_time();
  void work();
  enum class By : std::uint8_t { Evaluator, Ahead };
  void fill(std::size_t beat, By by);
  void judge(const Loaded::Judged& wanted);
  [[nodiscard]] std::optional<std::size_t> unfilled_ahead() const;
  [[nodiscard]] int last_beat() const;
  [[nodiscard]] std::size_t beat() const;
  [[nodiscard]] Loaded::Judged judged_now() const;
  [[nodiscard]] Loaded::Judged missed_now() const;
  void ask_again();
  [[nodiscard]] bool has_wandered(const lesson::Position& home);
  void follow_language();
  void translate_starter(const std::string& was);
  [[nodiscard]] BeatWords words_of(std::size_t beat) const;
  void show_words(std::size_t beat, ShownLesson& shown) const;
  void show_question(std::size_t beat, ShownLesson& shown) const;
  void show_recap(ShownLesson& shown);
  void show_lab(std::size_t beat, ShownLesson& shown);
  [[nodiscard]] const lesson::Lab* lab_of(std::size_t beat) const;
  // The lab of a beat, with the rows of the variant that `text` names. Valid until the next call.
  [[nodiscard]] const lesson::Lab& variant_of(std::size_t beat, const std::string& text);
  void mark_progress();
  void tell(const Result<void>& kept);

  Pool& pool_;
  Shared shared_;
  Infer infer_;
  Progress progress_;
  LabController labs_;
  bool looks_ahead_ = false;
  std::optional<Loaded> loaded_;
  std::string wanted_;  // the lesson that is being loaded, or cannot be; "": none
  std::uint64_t next_seed_ = std::random_device{}();  // of practice
  std::uint64_t generation_ = 0;  // of the latest opened lesson; results for others are dropped
  // The lesson that the user requested; a session's does not replace it.
  std::optional<std::uint64_t> opening_;
  std::string kept_text_;  // of a lab, as saved last
  std::chrono::steady_clock::time_point kept_at_;
  bool is_working_ = false;  // a job uses the evaluator
  // The beats whose numbers are being computed by each of the two evaluators.
  std::optional<std::size_t> filling_;
  std::optional<std::size_t> filling_ahead_;
  std::string list_language_;  // of the list; "": not requested yet
  std::shared_ptr<const std::vector<LessonEntry>> list_;
  // The step of a beat's place in a recording.
  struct Home {
    Generation generation;  // of the scene
    std::size_t beat = 0;
    std::uint64_t step = 0;
  };
  std::optional<Home> home_;
  // The film's beat on stage.
  struct Reel {
    std::size_t beat = 0;
    double since = 0.0;
    int moves = 0;  // number of moves made
  };
  std::optional<Reel> reel_;
  double film_share_ = 0.0;            // ShownLesson::film_share
  std::optional<double> last_update_;  // its time; nullopt: the first is awaited
  double spent_ = 0.0;                 // seconds of the beat on stage that are not saved yet
};

// A lesson of questions that the program makes about what is on stage.
[[nodiscard]] inline bool is_practice(const std::string& lesson) {
  return lesson == course::kPracticeId;
}

// Questions about the state's place, or about the whole run if it is at the start. Does not begin
// with the previous question. Fails if the kernel does not run, or if there is nothing to ask
// there.
[[nodiscard]] Result<lesson::Lesson> make_practice(state::AppState state, std::uint64_t seed,
                                                   const std::string& asked_last,
                                                   const CatalogPtr& catalog,
                                                   compile::Compiler& compiler);

}  // namespace tilestep::workspace
