// Labs of the lesson that is open: graded, and what is written for them kept.
#include "workspace/lesson_desk.h"
#include "workspace/workspace.h"

#include <algorithm>
#include <utility>

namespace tilestep::workspace {

const lesson::Lab* LessonDesk::lab_of(std::size_t beat) const {
  const lesson::Beat& of = loaded_->lesson->beats[beat];
  return of.kind == lesson::BeatKind::Lab ? &loaded_->lesson->labs[of.index] : nullptr;
}

void LessonDesk::grade() {
  const lesson::Lab* const lab = lab_of(beat());
  if (lab == nullptr) {
    return;
  }
  if (desk_.state.kernel != lab->kernel) {
    show_beat();
  }
  keep_lab_text();
  auto text = text_of_lab(*lab, desk_.state.edited_source);
  if (!text) {
    desk_.view.refusal = text.error().message;
    return;
  }
  loaded_->graded.erase(beat());
  labs_.grade(
      {loaded_->lesson, loaded_->lesson->beats[beat()].index, *text, desk_.catalog,
       shipped_timings(desk_.paths)},
      [this, beat = beat(), text = *text, teller = loaded_->teller](const course::LabGrade& grade) {
        if (loaded_ && loaded_->teller == teller) {
          take_grade(beat, text, grade);
        }
      });
}

// The stage goes to what shows why a row failed, unless somebody has gone on meanwhile.
void LessonDesk::take_grade(std::size_t beat, const std::string& text,
                            const course::LabGrade& grade) {
  const lesson::Lab& lab = *lab_of(beat);
  tell(progress_.note_grade(loaded_->name, loaded_->version, lab.name, grade.passed()));
  mark_progress();
  loaded_->graded[beat] = {text, grade};
  const bool is_here = beat == this->beat() && desk_.state.kernel == lab.kernel;
  if (!is_here) {
    return;
  }
  const lesson::Position last{lab.rows.back().state, {lesson::Place::Kind::End, 0}};
  const lesson::Position& shown = grade.passed() ? last : grade.counterexample;
  state::AppState next = shown.state;
  keep_own_settings(desk_.state, next);
  next.editing = desk_.state.editing;
  next.edited_source = desk_.state.edited_source;
  desk_.show(std::move(next), shown.place);
}

// While it is written: nothing is lost by a kill.
void LessonDesk::follow_lab_text() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kBetween{500};
  const std::string& text = desk_.state.edited_source;
  if (text != kept_text_ && Clock::now() - kept_at_ >= kBetween) {
    kept_text_ = text;
    kept_at_ = Clock::now();
    keep_lab_text();
  }
}

// Before another state takes the stage.
void LessonDesk::keep_lab_text() {
  const lesson::Lab* const lab =
      loaded_ && loaded_->on_stage ? lab_of(*loaded_->on_stage) : nullptr;
  if (lab == nullptr || desk_.state.kernel != lab->kernel) {
    return;
  }
  tell(progress_.keep_text(loaded_->name, loaded_->version, lab->name, desk_.state.edited_source));
}

void LessonDesk::shown_lab(std::size_t beat) {
  const lesson::Lab* const lab = lab_of(beat);
  shown_.lab = lab;
  shown_.grade.reset();
  shown_.is_grading = labs_.is_grading();
  shown_.grading_row = labs_.row();
  shown_.lab_rows.clear();
  if (lab == nullptr) {
    return;
  }
  auto rows = loaded_->lab_rows.find(beat);
  if (rows == loaded_->lab_rows.end()) {
    rows = loaded_->lab_rows.emplace(beat, rows_of_lab(*lab, *desk_.catalog)).first;
  }
  shown_.lab_rows = rows->second;
  const auto& kept = progress_.of(loaded_->name).labs;
  const auto progress = kept.find(lab->name);
  shown_.lab_failures = progress == kept.end() ? 0 : progress->second.failures;
  shown_.lab_is_passed = progress != kept.end() && progress->second.is_passed;
  const auto graded = loaded_->graded.find(beat);
  if (graded != loaded_->graded.end()) {
    shown_.grade = shown_grade(*lab, graded->second.grade);
    const course::LabOutcome outcome = graded->second.grade.outcome();
    const bool is_at_a_step =
        graded->second.grade.counterexample.place.kind == lesson::Place::Kind::Step;
    shown_.grade->is_on_stage = outcome == course::LabOutcome::Found ||
                                outcome == course::LabOutcome::Wrong ||
                                (outcome == course::LabOutcome::Condition && is_at_a_step);
    const std::string& text = desk_.state.edited_source;
    shown_.grade->is_old = !text.empty() && text != graded->second.text;
  }
}

}  // namespace tilestep::workspace
