// The view of the open lesson, and the jobs that compute it.
#include "course/reveal.h"
#include "lesson/rich_text.h"
#include "lesson/variant.h"
#include "problem/in_language.h"
#include "problem/language.h"
#include "problem/words.h"
#include "workspace/lesson_controller.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <utility>

namespace tilestep::workspace {
namespace {

constexpr Message kMorePractice = "More questions about this place";

// Ignores the step, which depends on the recording.
bool is_at_beat(const state::AppState& home, const state::AppState& now) {
  state::TimingView timing = now.timing;
  timing.guess = home.timing.guess;  // drawing is the task there
  return setup_of(home) == setup_of(now) && home.comparison == now.comparison &&
         home.focus == now.focus && home.tab == now.tab &&
         (home.tab != state::Tab::Timing || home.timing == timing);
}

// The Timing tab shows measurements of whatever is chosen there.
bool is_other_run(const state::AppState& home, const state::AppState& now) {
  return now.tab == state::Tab::Step &&
         (setup_of(home) != setup_of(now) || home.comparison != now.comparison);
}

}  // namespace

LessonController::Loaded::Judged LessonController::judged_now() const {
  const state::LessonView& course = shared_.state.course;
  return {beat(), course.answering, course.given};
}

LessonController::Loaded::Judged LessonController::missed_now() const {
  return {beat(), state::Answering::Given, shared_.state.course.missed};
}

// The step of the place is looked up only once: for a phase's middle, the whole phase has to be
// counted.
bool LessonController::has_wandered(const lesson::Position& home) {
  const state::AppState& state = shared_.state;
  if (lab_of(beat()) != nullptr) {  // whose text and rows the user tries
    return state.kernel != home.state.kernel;
  }
  if (!is_at_beat(home.state, state)) {
    return true;
  }
  const auto& scene = shared_.view.run.scene;
  const bool is_refused = !shared_.view.messages.error.empty();
  if (scene == nullptr || is_refused || state.tab == state::Tab::Timing) {
    return false;
  }
  if (!home_ || home_->generation != scene->generation || home_->beat != beat()) {
    home_ = Home{scene->generation, beat(),
                 lesson::resolve(home.place, *scene->recording, home.state.focus.block)};
  }
  return state.step != home_->step;
}

// A lab's text that nobody has edited becomes that of the current language.
void LessonController::translate_starter(const std::string& was) {
  const lesson::Lab* const lab = was.empty() ? nullptr : lab_of(beat());
  if (lab == nullptr || shared_.state.kernel != lab->kernel) {
    return;
  }
  const auto before = [&] {
    const InLanguage in(was);
    return starter_of(*lab);
  };
  if (shared_.state.edited_source == before()) {
    shared_.state.edited_source = starter_of(*lab);
  }
}

// Recomputes texts in another language; the old list stays until then.
void LessonController::follow_language() {
  const std::string language = spoken_language();
  if (!list_language_.empty() && list_language_ != language) {
    list();
  }
  if (loaded_ && loaded_->language != language) {
    translate_starter(loaded_->language);
    loaded_->language = language;
    loaded_->words.clear();
    loaded_->lab_rows.clear();
    loaded_->starters.clear();
    loaded_->verdict.reset();
    loaded_->missed.reset();
  }
}

BeatWords LessonController::words_of(std::size_t beat) const {
  const auto filled = loaded_->words.find(beat);
  return filled != loaded_->words.end() ? filled->second
                                        : unfilled_words(*loaded_->lesson, beat, loaded_->language);
}

void LessonController::show_words(std::size_t beat, ShownLesson& shown) const {
  const lesson::Lesson& lesson = *loaded_->lesson;
  shown.is_filled = loaded_->words.contains(beat);
  static_cast<BeatWords&>(shown) = words_of(beat);
  if (beat + 1 < lesson.beats.size()) {
    const BeatWords next = words_of(beat + 1);
    shown.next = name_to_press(lesson, beat + 1, next);
    shown.next_where = next.where;
    const auto all = lesson::paragraphs_of(next.ask.empty() ? next.text : next.ask);
    shown.next_text = all.empty() ? "" : lesson::plain_text(all.front());
  } else if (is_practice(loaded_->name)) {
    shown.next = kMorePractice.text();
  }
}

void LessonController::show_question(std::size_t beat, ShownLesson& shown) const {
  const std::shared_ptr<const lesson::Lesson>& lesson = loaded_->lesson;
  const lesson::Beat& of = lesson->beats[beat];
  if (of.kind == lesson::BeatKind::Scene) {
    shown.scene = {lesson, &lesson->scenes[of.index]};
  } else if (of.kind == lesson::BeatKind::Question) {
    shown.question = {lesson, &lesson->questions[of.index]};
    if (loaded_->verdict && *loaded_->verdict && loaded_->judged == judged_now()) {
      shown.verdict = **loaded_->verdict;
    }
    if (loaded_->missed && loaded_->missed->first == missed_now()) {
      shown.missed = loaded_->missed->second;
    }
  }
}

void LessonController::show_recap(ShownLesson& shown) {
  if (shown.scene == nullptr || !shown.scene->recap) {
    return;
  }
  if (list_language_.empty()) {
    list();  // which has the next lesson's title
  }
  const lesson::Lesson& lesson = *loaded_->lesson;
  const auto& answers = progress_.of(loaded_->name).answers;
  for (std::size_t i = 0; i < lesson.beats.size(); ++i) {
    const auto answer = answers.find(lesson.name_of(lesson.beats[i]));
    if (lesson.beats[i].kind != lesson::BeatKind::Question || answer == answers.end()) {
      continue;
    }
    const std::string& about = lesson.about(lesson.beats[i]).in(loaded_->language);
    if (answer->second.is_understood) {
      shown.understood.push_back(about);
    } else {
      shown.again.push_back({about, i});
    }
  }
  shown.next_lesson = shown.scene->recap->next;
  if (list_) {
    const auto next = std::ranges::find(*list_, shown.next_lesson, &LessonEntry::lesson);
    shown.next_lesson_title = next == list_->end() ? "" : next->title;
  }
}

void LessonController::follow(bool is_moving) {
  follow_language();
  shared_.view.lessons = list_;
  shared_.view.lesson.reset();
  const std::string& open_now = shared_.state.course.lesson;
  if (loaded_ && loaded_->name != open_now) {  // another session, or none
    cancel();
    loaded_.reset();
  }
  if (!loaded_) {
    if (is_practice(open_now) && open_now != wanted_) {
      shared_.state.course = {};  // of an earlier start, whose questions are gone
    } else if (open_now != wanted_ && !open_now.empty() && opening_ != generation_) {
      open(open_now, std::nullopt);
    }
    return;
  }
  const std::size_t now = beat();
  const lesson::Lesson& lesson = *loaded_->lesson;
  work();
  auto made = std::make_shared<ShownLesson>();
  ShownLesson& shown = *made;
  shown.film_share = film_share_;
  shown.lesson = loaded_->lesson;
  shown.lesson_title = lesson.title.in(loaded_->language);
  shown.beat = now;
  show_words(now, shown);
  show_question(now, shown);
  show_recap(shown);
  labs_.follow();
  follow_lab_text();
  show_lab(now, shown);
  const lesson::Position home = position_of(lesson, lesson.beats[now]);
  shown.has_wandered = !is_moving && has_wandered(home);
  shown.is_other_run = shown.has_wandered && is_other_run(home.state, shared_.state);
  shown.home = setup_of(home.state);
  const LessonProgress& progress = progress_.of(loaded_->name);
  for (std::size_t i = 0; i < lesson.beats.size(); ++i) {
    shown.minutes_left += i >= now ? lesson.minutes_of(lesson.beats[i]) : 0.0;
    shown.seen.push_back(progress.beats.contains(lesson.name_of(lesson.beats[i])));
  }
  shared_.view.lesson = std::move(made);
}

// Beats after the one on stage first, then those before.
std::optional<std::size_t> LessonController::unfilled_ahead() const {
  const std::size_t count = loaded_->lesson->beats.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t wanted = (beat() + i) % count;
    if (!loaded_->words.contains(wanted) && filling_ != wanted) {
      return wanted;
    }
  }
  return std::nullopt;
}

// Priority: the answer that the user waits for, then the visible text, then likely next texts.
void LessonController::work() {
  const Loaded::Judged wanted = judged_now();
  const lesson::Beat& of = loaded_->lesson->beats[wanted.beat];
  const bool is_answered =
      of.kind == lesson::BeatKind::Question && wanted.answering != state::Answering::Asked;
  if (!is_working_) {
    const bool is_missed =
        of.kind == lesson::BeatKind::Question && !missed_now().given.empty() &&
        !(loaded_->missed && loaded_->missed->first == missed_now());  // of a session
    if (is_answered && !(loaded_->verdict && loaded_->judged == wanted)) {
      judge(wanted);
    } else if (is_missed) {
      judge(missed_now());
    } else if (!loaded_->words.contains(wanted.beat) && filling_ahead_ != wanted.beat) {
      fill(wanted.beat, By::Evaluator);
    }
  }
  const bool is_ahead_wanted =
      looks_ahead_ || shared_.state.course.notes;  // the notes show the next beat
  if (const auto next = is_ahead_wanted && !filling_ahead_ ? unfilled_ahead() : std::nullopt) {
    fill(*next, By::Ahead);
  }
}

void LessonController::fill(std::size_t beat, By by) {
  is_working_ = is_working_ || by == By::Evaluator;
  (by == By::Evaluator ? filling_ : filling_ahead_) = beat;
  const auto evaluator = by == By::Evaluator ? loaded_->evaluator : loaded_->ahead;
  pool_.submit([this, evaluator, language = loaded_->language, beat, by]() -> Completion {
    auto words = std::make_shared<BeatWords>(evaluator->words(beat, language));
    return [this, words, language, beat, by, evaluator] {
      if (!loaded_ || (loaded_->evaluator != evaluator && loaded_->ahead != evaluator)) {
        return;
      }
      is_working_ = is_working_ && by != By::Evaluator;
      (by == By::Evaluator ? filling_ : filling_ahead_).reset();
      if (loaded_->language == language) {
        loaded_->words[beat] = std::move(*words);
      }
    };
  });
}

void LessonController::judge(const Loaded::Judged& wanted) {
  is_working_ = true;
  pool_.submit([this, evaluator = loaded_->evaluator, language = loaded_->language,
                wanted]() -> Completion {
    const auto given =
        wanted.answering == state::Answering::Given ? std::optional(wanted.given) : std::nullopt;
    auto verdict =
        std::make_shared<Result<ShownVerdict>>(evaluator->verdict(wanted.beat, given, language));
    return [this, verdict, language, wanted, evaluator] {
      if (!loaded_ || loaded_->evaluator != evaluator) {
        return;
      }
      is_working_ = false;
      if (loaded_->language != language) {
        return;
      }
      if (wanted == missed_now()) {
        loaded_->missed = {wanted, *verdict ? **verdict : ShownVerdict{}};
        if (judged_now() != wanted) {
          return;
        }
      }
      loaded_->verdict = std::move(*verdict);
      loaded_->judged = wanted;
      note_answer();
      if (judged_now() == wanted) {
        ask_again();
      }
    };
  });
}

// After text that is no answer, and after a wrong first answer, whose explanation stays with the
// hint.
void LessonController::ask_again() {
  state::LessonView& course = shared_.state.course;
  const Result<ShownVerdict>& verdict = *loaded_->verdict;
  if (!verdict) {
    shared_.view.messages.refusal = verdict.error().message;
    course.answering = state::Answering::Asked;
    loaded_->verdict.reset();
    return;
  }
  const lesson::Beat& of = loaded_->lesson->beats[loaded_->judged.beat];
  const bool was_first = loaded_->judged.answering == state::Answering::Given &&
                         course.missed.empty() &&
                         course::has_second_try(loaded_->lesson->questions[of.index]);
  if (verdict->is_right || !was_first) {
    return;
  }
  course.missed = course.given;
  course.given.clear();
  course.votes.clear();
  course.hint = true;
  course.answering = state::Answering::Asked;
  loaded_->missed = {missed_now(), *verdict};
  loaded_->verdict.reset();
}

const lesson::Lab* LessonController::lab_of(std::size_t beat) const {
  const lesson::Beat& of = loaded_->lesson->beats[beat];
  return of.kind == lesson::BeatKind::Lab ? &loaded_->lesson->labs[of.index] : nullptr;
}

const lesson::Lab& LessonController::variant_of(std::size_t beat, const std::string& text) {
  const std::string seed = lesson::seed_in(text);
  std::optional<Loaded::Variant>& kept = loaded_->variant;
  if (seed.empty()) {
    return *lab_of(beat);
  }
  if (!kept || kept->beat != beat || kept->seed != seed) {
    kept = Loaded::Variant{beat, seed, lesson::variant_of(*lab_of(beat), seed)};
  }
  return kept->lab;
}

void LessonController::grade() {
  const lesson::Lab* const lab = lab_of(beat());
  if (lab == nullptr) {
    return;
  }
  if (shared_.state.kernel != lab->kernel) {
    show_beat();
  }
  keep_lab_text();
  auto text = text_of_lab(*lab, shared_.state.edited_source);
  if (!text) {
    shared_.view.messages.refusal = text.error().message;
    return;
  }
  loaded_->graded.erase(beat());
  labs_.grade({loaded_->lesson, loaded_->lesson->beats[beat()].index, *text, shared_.catalog,
               shipped_timings(shared_.paths)},
              [this, beat = beat(), text = *text,
               evaluator = loaded_->evaluator](const course::LabGrade& grade) {
                if (loaded_ && loaded_->evaluator == evaluator) {
                  take_grade(beat, text, grade);
                }
              });
}

// Moves the stage to where a failed row is explained, unless the user has moved on meanwhile.
void LessonController::take_grade(std::size_t beat, const std::string& text,
                                  const course::LabGrade& grade) {
  const lesson::Lab& lab = variant_of(beat, text);
  keep_time();
  tell(progress_.note_grade(loaded_->name, loaded_->version, lab.name, grade.passed()));
  mark_progress();
  loaded_->graded[beat] = {text, grade};
  const bool is_here = beat == this->beat() && shared_.state.kernel == lab.kernel;
  if (!is_here) {
    return;
  }
  const lesson::Position last{lab.rows.back().state, {lesson::Place::Kind::End, 0}};
  const lesson::Position& shown = grade.passed() ? last : grade.counterexample;
  state::AppState next = shown.state;
  keep_own_settings(shared_.state, next);
  next.editing = shared_.state.editing;
  next.edited_source = shared_.state.edited_source;
  shared_.show(std::move(next), shown.place);
}

// Saves while the user types, so that a kill loses nothing.
void LessonController::follow_lab_text() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kBetween{500};
  const std::string& text = shared_.state.edited_source;
  if (text != kept_text_ && Clock::now() - kept_at_ >= kBetween) {
    kept_text_ = text;
    kept_at_ = Clock::now();
    keep_lab_text();
  }
}

// Call before another state is put on stage.
void LessonController::keep_lab_text() {
  const lesson::Lab* const lab =
      loaded_ && loaded_->on_stage ? lab_of(*loaded_->on_stage) : nullptr;
  if (lab == nullptr || shared_.state.kernel != lab->kernel) {
    return;
  }
  const std::string& text = shared_.state.edited_source;
  const bool is_own = !text.empty() && text != starter_edit(*lab);
  tell(progress_.keep_text(loaded_->name, loaded_->version, lab->name, is_own ? text : ""));
}

void LessonController::show_lab(std::size_t beat, ShownLesson& shown) {
  const lesson::Lab* const lab = lab_of(beat);
  shown.is_grading = labs_.is_grading();
  shown.grading_row = labs_.row();
  if (lab == nullptr) {
    return;
  }
  shown.lab = {loaded_->lesson, lab};
  const std::string seed = lesson::seed_in(shared_.state.edited_source);
  auto rows = loaded_->lab_rows.find({beat, seed});
  if (rows == loaded_->lab_rows.end()) {
    const lesson::Lab& variant = variant_of(beat, shared_.state.edited_source);
    rows = loaded_->lab_rows.emplace(std::pair(beat, seed), rows_of_lab(variant, *shared_.catalog))
               .first;
  }
  shown.lab_rows = rows->second;
  auto starter = loaded_->starters.find(beat);
  if (starter == loaded_->starters.end()) {
    starter = loaded_->starters.emplace(beat, starter_edit(*lab)).first;
  }
  shown.starter = starter->second;
  const auto& kept = progress_.of(loaded_->name).labs;
  const auto progress = kept.find(lab->name);
  shown.lab_failures = progress == kept.end() ? 0 : progress->second.failures;
  shown.lab_is_passed = progress != kept.end() && progress->second.is_passed;
  const auto graded = loaded_->graded.find(beat);
  if (graded != loaded_->graded.end()) {
    shown.grade = shown_grade(variant_of(beat, graded->second.text), graded->second.grade);
    const course::LabOutcome outcome = graded->second.grade.outcome();
    const bool is_at_a_step =
        graded->second.grade.counterexample.place.kind == lesson::Place::Kind::Step;
    shown.grade->is_on_stage = outcome == course::LabOutcome::Found ||
                               outcome == course::LabOutcome::Wrong ||
                               (outcome == course::LabOutcome::Condition && is_at_a_step);
    const std::string& text = shared_.state.edited_source;
    shown.grade->is_old = !text.empty() && text != graded->second.text;
  }
}

}  // namespace tilestep::workspace
