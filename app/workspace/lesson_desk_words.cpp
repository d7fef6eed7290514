// What the view says of the lesson that is open, and the jobs that find it out.
#include "lesson/rich_text.h"
#include "problem/language.h"
#include "problem/words.h"
#include "workspace/lesson_desk.h"
#include "workspace/practice.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilestep::workspace {
namespace {

// What is said.
constexpr Message kMorePractice = "More questions about this place";

// But for the step, which is the recording's.
bool is_at_beat(const state::AppState& home, const state::AppState& now) {
  state::TimingView timing = now.timing;
  timing.guess = home.timing.guess;  // to draw is what is done there
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

LessonDesk::Loaded::Judged LessonDesk::judged_now() const {
  const state::LessonView& course = desk_.state.course;
  return {beat(), course.answering, course.given};
}

// The step of the place is looked for once: of a phase's middle all that the phase did is counted.
bool LessonDesk::has_wandered(const lesson::Position& home) {
  const state::AppState& state = desk_.state;
  if (lab_of(beat()) != nullptr) {  // whose text and rows are tried
    return state.kernel != home.state.kernel;
  }
  if (!is_at_beat(home.state, state)) {
    return true;
  }
  const Scene* const scene = desk_.view.scene;
  const bool is_refused = !desk_.view.message.empty();
  if (scene == nullptr || is_refused || state.tab == state::Tab::Timing) {
    return false;
  }
  if (!home_ || home_->generation != scene->generation || home_->beat != beat()) {
    home_ = Home{scene->generation, beat(),
                 lesson::resolve(home.place, *scene->recording, home.state.focus.block)};
  }
  return state.step != home_->step;
}

// What was made in another language is made again; until then the old list stays.
void LessonDesk::follow_language() {
  const std::string language = spoken_language();
  if (!list_language_.empty() && list_language_ != language) {
    list();
  }
  if (loaded_ && loaded_->language != language) {
    loaded_->language = language;
    loaded_->words.clear();
    loaded_->lab_rows.clear();
    loaded_->verdict.reset();
  }
}

BeatWords LessonDesk::words_of(std::size_t beat) const {
  const auto filled = loaded_->words.find(beat);
  return filled != loaded_->words.end() ? filled->second
                                        : unfilled_words(*loaded_->lesson, beat, loaded_->language);
}

void LessonDesk::shown_words(std::size_t beat) {
  const lesson::Lesson& lesson = *loaded_->lesson;
  shown_.is_filled = loaded_->words.contains(beat);
  const BeatWords words = words_of(beat);
  shown_.title = words.title;
  shown_.intro = words.intro;
  shown_.text = words.text;
  shown_.note = words.note;
  shown_.hint = words.hint;
  shown_.ask = words.ask;
  shown_.choices = words.choices;
  shown_.labels = words.labels;
  shown_.tries = words.tries;
  shown_.answer = words.answer;
  shown_.mistake = words.mistake;
  shown_.next = beat + 1 < lesson.beats.size() ? name_to_press(lesson, beat + 1, words_of(beat + 1))
                : is_practice(loaded_->name)   ? kMorePractice.text()
                                               : "";
  shown_.next_text.clear();
  shown_.next_where.clear();
  if (beat + 1 < lesson.beats.size()) {
    const BeatWords next = words_of(beat + 1);
    shown_.next_where = next.where;
    const auto all = lesson::paragraphs_of(next.ask.empty() ? next.text : next.ask);
    shown_.next_text = all.empty() ? "" : lesson::plain_text(all.front());
  }
}

void LessonDesk::shown_question(std::size_t beat) {
  const lesson::Lesson& lesson = *loaded_->lesson;
  const lesson::Beat& of = lesson.beats[beat];
  shown_.scene = of.kind == lesson::BeatKind::Scene ? &lesson.scenes[of.index] : nullptr;
  shown_.question = of.kind == lesson::BeatKind::Question ? &lesson.questions[of.index] : nullptr;
  shown_.verdict.reset();
  if (shown_.question != nullptr && loaded_->verdict && *loaded_->verdict &&
      loaded_->judged == judged_now()) {
    shown_.verdict = **loaded_->verdict;
  }
}

void LessonDesk::follow(bool is_moving) {
  follow_language();
  desk_.view.lessons = list_ ? &*list_ : nullptr;
  desk_.view.lesson = nullptr;
  const std::string& open_now = desk_.state.course.lesson;
  if (loaded_ && loaded_->name != open_now) {  // another session, or none
    cancel();
    loaded_.reset();
  }
  if (!loaded_) {
    if (is_practice(open_now) && open_now != wanted_) {
      desk_.state.course = {};  // of a former start, whose questions are gone
    } else if (open_now != wanted_ && !open_now.empty() && opening_ != generation_) {
      open(open_now, std::nullopt);
    }
    return;
  }
  const std::size_t now = beat();
  const lesson::Lesson& lesson = *loaded_->lesson;
  work();
  shown_.lesson = &lesson;
  shown_.lesson_title = lesson.title.in(loaded_->language);
  shown_.beat = now;
  shown_words(now);
  shown_question(now);
  labs_.follow();
  follow_lab_text();
  shown_lab(now);
  const lesson::Position home = position_of(lesson, lesson.beats[now]);
  shown_.has_wandered = !is_moving && has_wandered(home);
  shown_.is_other_run = shown_.has_wandered && is_other_run(home.state, desk_.state);
  shown_.home = setup_of(home.state);
  shown_.minutes_left = 0.0;
  shown_.seen.clear();
  const LessonProgress& progress = progress_.of(loaded_->name);
  for (std::size_t i = 0; i < lesson.beats.size(); ++i) {
    shown_.minutes_left += i >= now ? lesson.minutes_of(lesson.beats[i]) : 0.0;
    shown_.seen.push_back(progress.beats.contains(lesson.name_of(lesson.beats[i])));
  }
  desk_.view.lesson = &shown_;
}

// Those that follow the one on stage, then those before.
std::optional<std::size_t> LessonDesk::unfilled_ahead() const {
  const std::size_t count = loaded_->lesson->beats.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t wanted = (beat() + i) % count;
    if (!loaded_->words.contains(wanted) && filling_ != wanted) {
      return wanted;
    }
  }
  return std::nullopt;
}

// The answer that somebody waits for, then what is read; beside it what may be asked next.
void LessonDesk::work() {
  const Loaded::Judged wanted = judged_now();
  const lesson::Beat& of = loaded_->lesson->beats[wanted.beat];
  const bool is_answered =
      of.kind == lesson::BeatKind::Question && wanted.answering != state::Answering::Asked;
  if (!is_working_) {
    if (is_answered && !(loaded_->verdict && loaded_->judged == wanted)) {
      judge(wanted);
    } else if (!loaded_->words.contains(wanted.beat) && filling_ahead_ != wanted.beat) {
      fill(wanted.beat, By::Teller);
    }
  }
  const bool is_ahead_wanted = looks_ahead_ || desk_.state.course.notes;  // which say what is next
  if (const auto next = is_ahead_wanted && !filling_ahead_ ? unfilled_ahead() : std::nullopt) {
    fill(*next, By::Ahead);
  }
}

void LessonDesk::fill(std::size_t beat, By by) {
  is_working_ = is_working_ || by == By::Teller;
  (by == By::Teller ? filling_ : filling_ahead_) = beat;
  const auto teller = by == By::Teller ? loaded_->teller : loaded_->ahead;
  pool_.submit([this, teller, language = loaded_->language, beat, by]() -> Completion {
    auto words = std::make_shared<BeatWords>(teller->words(beat, language));
    return [this, words, language, beat, by, teller] {
      if (!loaded_ || (loaded_->teller != teller && loaded_->ahead != teller)) {
        return;
      }
      is_working_ = is_working_ && by != By::Teller;
      (by == By::Teller ? filling_ : filling_ahead_).reset();
      if (loaded_->language == language) {
        loaded_->words[beat] = std::move(*words);
      }
    };
  });
}

void LessonDesk::judge(const Loaded::Judged& wanted) {
  is_working_ = true;
  pool_.submit(
      [this, teller = loaded_->teller, language = loaded_->language, wanted]() -> Completion {
        const auto given = wanted.answering == state::Answering::Given ? std::optional(wanted.given)
                                                                       : std::nullopt;
        auto verdict =
            std::make_shared<Result<ShownVerdict>>(teller->verdict(wanted.beat, given, language));
        return [this, verdict, language, wanted, teller] {
          if (!loaded_ || loaded_->teller != teller) {
            return;
          }
          is_working_ = false;
          if (loaded_->language != language) {
            return;
          }
          loaded_->verdict = std::move(*verdict);
          loaded_->judged = wanted;
          note_answer();
          const bool is_no_answer = !*loaded_->verdict && judged_now() == wanted;
          if (is_no_answer) {  // it can be given again
            desk_.view.refusal = loaded_->verdict->error().message;
            desk_.state.course.answering = state::Answering::Asked;
            loaded_->verdict.reset();
          }
        };
      });
}

}  // namespace tilestep::workspace
