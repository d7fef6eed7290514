#include "workspace/lesson_controller.h"

#include "compile/cache.h"
#include "problem/language.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr Message kOpeningLesson = "Opening lesson {} …";
constexpr Message kControls =
    "You are in control now. F11 executes a statement, F10 a phase, Home goes to the start. The "
    "opening is the first of the lessons (Ctrl+L).";
constexpr Message kLeadsOut = "{} is an external link: open it in a browser.";

// The files of kernels that its states name.
std::vector<std::string> kernel_files(const lesson::Lesson& lesson) {
  std::set<std::string> files;
  const auto add = [&files](const state::AppState& state) {
    std::error_code ignored;
    if (fs::is_regular_file(state.kernel, ignored)) {
      files.insert(state.kernel);
    }
  };
  for (const lesson::Beat& beat : lesson.beats) {
    add(position_of(lesson, beat).state);
  }
  return {files.begin(), files.end()};
}

// Kernels without a description get an inferred one.
std::vector<problem::LaunchSpec> inferred_kernels(const lesson::Lesson& lesson,
                                                  const Infer& infer) {
  std::vector<problem::LaunchSpec> kernels;
  for (const std::string& file : infer ? kernel_files(lesson) : std::vector<std::string>()) {
    if (auto inferred = infer(file)) {
      kernels.push_back(std::move(inferred->spec));
    }
  }
  return kernels;
}

// A hash of its beats: a change of wording does not change the version.
std::string version_of(const lesson::Lesson& lesson) {
  compile::Hash hash;
  for (const lesson::Beat& beat : lesson.beats) {
    hash.add(lesson.name_of(beat));
  }
  return hash.hex();
}

// Sorts the answered questions into those that were understood and those to look at again.
void mark_understood(const LessonProgress& progress, LessonEntry& entry) {
  entry.understood.clear();
  entry.again.clear();
  for (std::size_t i = 0; i < entry.beat_names.size(); ++i) {
    const auto answer = progress.answers.find(entry.beat_names[i]);
    if (entry.is_question[i] && answer != progress.answers.end()) {
      (answer->second.is_understood ? entry.understood : entry.again).push_back(entry.abouts[i]);
    }
  }
}

}  // namespace

void keep_own_settings(const state::AppState& own, state::AppState& next) {
  next.theme = own.theme;
  next.typeface = own.typeface;
  next.language = own.language;
  next.scale = own.scale;
  next.animate = own.animate;
  next.pace = own.pace;
  next.number_form = own.number_form;
  next.lecture = own.lecture;
  next.sizes_locked = own.sizes_locked;
  next.exporting = own.exporting;
  next.course = own.course;
  if (next.timing.guess.kernel == own.timing.guess.kernel) {
    next.timing.guess.gflops = own.timing.guess.gflops;  // the user's drawing
  }
}

LessonController::LessonController(Pool& pool, Shared shared)
    : pool_(pool),
      shared_(std::move(shared)),
      progress_(shared_.paths.user_state),
      labs_(pool, shared_.compiler) {}

void LessonController::look_ahead() {
  looks_ahead_ = true;
  if (!progress_.mistake().empty()) {
    shared_.view.messages.notice = progress_.mistake();
  }
  list();
}

void LessonController::cancel() {
  keep_lab_text();
  keep_time();
  ++generation_;
  labs_.cancel();
  if (loaded_) {
    loaded_->evaluator->cancel();
    loaded_->ahead->cancel();
  }
}

bool LessonController::carry_out(const state::Command& command) {
  if (const auto* opened = command.as<state::OpenLesson>()) {
    open(opened->lesson, opened->beat);
    return true;
  }
  return false;
}

void LessonController::notice(const state::Command& command) {
  if (command.is<state::ShowLessons>() || command.is<state::ShowPalette>()) {
    list();
  }
  if (command.is<state::CloseLesson>()) {
    shared_.view.messages.notice = reel_ ? kControls.text() : shared_.view.messages.notice;
    reel_.reset();
    keep_lab_text();
    cancel();
    loaded_.reset();
    wanted_.clear();
  }
  if (!loaded_) {
    return;
  }
  if (command.is<state::GoToBeat>()) {
    if (is_practice(loaded_->name) && shared_.state.course.beat > last_beat()) {
      open(loaded_->name, 0);
    }
    shared_.state.course.beat = static_cast<int>(beat());
    reel_.reset();
    show_beat();
  } else if (command.is<state::ReturnToBeat>()) {
    show_beat();
  } else if (command.is<state::GradeLab>()) {
    grade();
  } else if (command.is<state::ResetSource>()) {
    const lesson::Lab* const lab = lab_of(beat());
    if (lab != nullptr && shared_.state.kernel == lab->kernel) {
      shared_.state.edited_source = starter_of(*lab);
    }
  } else if (const auto* link = command.as<state::FollowLink>()) {
    follow_link(link->target);
  }
}

// The open lesson stays until the new one is loaded, and if that cannot be read.
void LessonController::open(const std::string& name, Then beat) {
  wanted_ = name;
  const std::uint64_t generation = ++generation_;
  if (beat) {
    opening_ = generation;
    shared_.view.messages.notice = fmt::format(fmt::runtime(kOpeningLesson.text()), name);
  }
  const bool goes_on = loaded_ && is_practice(loaded_->name);
  const std::string last = goes_on ? loaded_->lesson->questions.back().ask.in() : "";
  const auto find = [this, name, last, state = shared_.state, seed = next_seed_,
                     catalog = shared_.catalog] {
    return is_practice(name) ? make_practice(state, seed, last, catalog, shared_.compiler)
                             : find_lesson(name, shared_.paths);
  };
  next_seed_ += is_practice(name) ? 1 : 0;
  pool_.submit([this, find, beat, generation, infer = infer_]() -> Completion {
    auto lesson = std::make_shared<Result<lesson::Lesson>>(find());
    auto kernels = std::make_shared<std::vector<problem::LaunchSpec>>(
        *lesson ? inferred_kernels(**lesson, infer) : std::vector<problem::LaunchSpec>());
    return [this, beat, generation, lesson, kernels] {
      end(generation, beat, std::move(*lesson), std::move(*kernels));
    };
  });
}

void LessonController::load(lesson::Lesson lesson) {
  end(++generation_, 0, std::move(lesson), {});
}

void LessonController::end(std::uint64_t generation, Then beat, Result<lesson::Lesson> lesson,
                           std::vector<problem::LaunchSpec> kernels) {
  if (generation != generation_) {
    return;
  }
  if (beat) {
    shared_.view.messages.notice.clear();
  }
  if (!lesson) {
    shared_.view.messages.refusal = lesson.error().message;
    if (!beat) {
      shared_.state.course = {};  // of a session whose lesson file is gone
    }
    wanted_ = shared_.state.course.lesson;
    return;
  }
  for (problem::LaunchSpec& kernel : kernels) {
    shared_.add_kernel(std::move(kernel));
  }
  if (loaded_) {
    keep_lab_text();
    labs_.cancel();
    loaded_->evaluator->cancel();
    loaded_->ahead->cancel();
  }
  is_working_ = false;
  filling_.reset();
  filling_ahead_.reset();
  home_.reset();
  Loaded loaded;
  loaded.name = is_practice(lesson->file) ? lesson->file : name_of(*lesson, shared_.paths);
  loaded.version = version_of(*lesson);
  loaded.lesson = std::make_shared<const lesson::Lesson>(std::move(*lesson));
  const auto evaluator = [&] {
    return std::make_shared<LessonEvaluator>(loaded.lesson, shared_.catalog, shared_.compiler,
                                             shipped_timings(shared_.paths));
  };
  loaded.evaluator = evaluator();
  loaded.ahead = evaluator();
  wanted_ = loaded.name;
  shared_.state.course.lesson = loaded.name;
  loaded_ = std::move(loaded);
  if (beat) {
    state::LessonView& course = shared_.state.course;
    course = {.lesson = loaded_->name,
              .beat = *beat,
              .notes = course.notes,
              .ring = course.ring,
              .film = loaded_->lesson->is_film() && shared_.state.animate,
              .spotlight = course.spotlight};
    course.beat = static_cast<int>(this->beat());
    show_beat();
  } else {
    shared_.state.course.beat = static_cast<int>(this->beat());
    loaded_->on_stage = this->beat();
  }
}

int LessonController::last_beat() const {
  return static_cast<int>(loaded_->lesson->beats.size()) - 1;
}

std::size_t LessonController::beat() const {
  return static_cast<std::size_t>(std::clamp(shared_.state.course.beat, 0, last_beat()));
}

// Without a compiler only the file's own text can be shown: its PTX ships with the program.
std::string LessonController::starter_of(const lesson::Lab& lab) {
  std::string starter = starter_edit(lab);
  return starter.empty() || shared_.compiler.nvrtc().found ? starter : "";
}

void LessonController::show_beat() {
  const lesson::Position at = position_of(*loaded_->lesson, loaded_->lesson->beats[beat()]);
  state::AppState next = at.state;
  keep_own_settings(shared_.state, next);
  keep_lab_text();
  keep_time();
  if (const lesson::Lab* const lab = lab_of(beat())) {
    const auto& kept = progress_.of(loaded_->name).labs;
    const auto found = kept.find(lab->name);
    next.edited_source = found == kept.end() ? "" : found->second.text;
    if (next.edited_source.empty()) {
      next.edited_source = starter_of(*lab);
    }
  }
  loaded_->on_stage = beat();
  shared_.show(std::move(next), at.place);
  note_seen();
}

void LessonController::pass_time(double now) {
  const double passed = now - std::exchange(last_update_, now).value_or(now);
  if (loaded_ && shared_.state.course.answering == state::Answering::Asked) {
    spent_ += std::clamp(passed, 0.0, kLongestPause);
  }
}

bool LessonController::play(double now, bool is_moving) {
  if (!loaded_ || !shared_.state.course.film) {
    reel_.reset();
    return false;
  }
  const lesson::Beat& of = loaded_->lesson->beats[beat()];
  if (is_moving || of.kind != lesson::BeatKind::Scene) {
    return false;
  }
  const lesson::Scene& scene = loaded_->lesson->scenes[of.index];
  if (!reel_ || reel_->beat != beat()) {
    reel_ = Reel{beat(), now, 0};
  }
  const double share = scene.seconds > 0.0 ? (now - reel_->since) / scene.seconds : 0.0;
  film_share_ = std::clamp(share, 0.0, 1.0);
  if (share >= 1.0) {
    shared_.apply(shared_.state.course.beat < last_beat()
                      ? state::Command(state::GoToBeat{shared_.state.course.beat + 1})
                      : state::Command(state::CloseLesson{}));
    return true;
  }
  const auto due = static_cast<int>(share * (scene.moves + 1));
  if (reel_->moves >= due) {
    return false;
  }
  for (; reel_->moves < due; ++reel_->moves) {
    shared_.apply(state::Step{scene.moves_by, +1});
  }
  return true;
}

void LessonController::follow_link(const std::string& target) {
  const auto changes = lesson::changes_of(target);
  if (!changes) {
    shared_.view.messages.notice = fmt::format(fmt::runtime(kLeadsOut.text()), target);
    return;
  }
  const lesson::Position home = position_of(*loaded_->lesson, loaded_->lesson->beats[beat()]);
  auto there = loaded_->lesson->follow()(home, *changes);
  if (!there) {
    shared_.view.messages.refusal = there.error().message;
    return;
  }
  keep_own_settings(shared_.state, there->state);
  shared_.show(std::move(there->state), there->place);
}

void LessonController::tell(const Result<void>& kept) {
  if (!kept) {
    shared_.view.messages.notice =
        tr("The lesson progress cannot be saved. {}", kept.error().message);
  }
}

// Adds the time of the beat on stage to the progress.
void LessonController::keep_time() {
  const double spent = std::exchange(spent_, 0.0);
  if (loaded_ && loaded_->on_stage && spent > 0.0 && !is_practice(loaded_->name)) {
    const lesson::Lesson& lesson = *loaded_->lesson;
    tell(progress_.add_time(loaded_->name, loaded_->version,
                            lesson.name_of(lesson.beats[*loaded_->on_stage]), spent));
  }
}

void LessonController::note_seen() {
  if (is_practice(loaded_->name)) {
    return;
  }
  const lesson::Lesson& lesson = *loaded_->lesson;
  tell(progress_.see_beat(loaded_->name, loaded_->version, lesson.name_of(lesson.beats[beat()])));
  mark_progress();
}

void LessonController::note_answer() {
  const auto& verdict = loaded_->verdict;
  if (!verdict || !*verdict || is_practice(loaded_->name)) {
    return;
  }
  keep_time();
  const lesson::Lesson& lesson = *loaded_->lesson;
  const std::string& question = lesson.name_of(lesson.beats[loaded_->judged.beat]);
  tell(loaded_->judged.answering == state::Answering::Given
           ? progress_.note_answer(loaded_->name, loaded_->version, question, loaded_->judged.given,
                                   (*verdict)->is_right)
           : progress_.note_shown(loaded_->name, loaded_->version, question));
  mark_progress();
}

void LessonController::list() {
  const std::string language = spoken_language();
  if (list_language_ == language) {
    mark_progress();
    return;
  }
  list_language_ = language;
  pool_.submit([this, language]() -> Completion {
    auto entries =
        std::make_shared<std::vector<LessonEntry>>(list_lessons(shared_.paths, language));
    return [this, language, entries] {
      if (language == list_language_) {
        list_ = entries;
        mark_progress();
      }
    };
  });
}

void LessonController::mark_progress() {
  if (!list_) {
    return;
  }
  auto marked = std::make_shared<std::vector<LessonEntry>>(*list_);
  for (LessonEntry& entry : *marked) {
    const LessonProgress& progress = progress_.of(entry.lesson);
    entry.seen = 0;
    for (std::size_t i = 0; i < entry.beat_names.size(); ++i) {
      entry.seen += progress.beats.contains(entry.beat_names[i]) ? 1U : 0U;
      entry.at = entry.beat_names[i] == progress.at ? i : entry.at;
    }
    mark_understood(progress, entry);
  }
  list_ = std::move(marked);
}

Result<lesson::Lesson> make_practice(state::AppState state, std::uint64_t seed,
                                     const std::string& asked_last, const CatalogPtr& catalog,
                                     compile::Compiler& compiler) {
  lesson::Position from{std::move(state), {}};
  from.state.course = {};
  from.state.comparison = {};
  from.state.tab = state::Tab::Step;
  from.place = {lesson::Place::Kind::Step, from.state.step};
  course::Answers answers({compiler, *catalog, nullptr, nullptr});
  const course::PracticeOptions options{.seed = seed, .is_here = from.state.step > 0};
  auto questions = course::practise(from, options, answers);
  TILESTEP_RETURN_IF_ERROR(questions);
  const auto other = [&](const course::PracticeQuestion& q) {
    return q.question.ask.in() != asked_last;
  };
  std::ranges::rotate(*questions, std::ranges::find_if(*questions, other));
  return course::practice_lesson(*questions);
}

}  // namespace tilestep::workspace
