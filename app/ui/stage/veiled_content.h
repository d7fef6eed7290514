// Takes out of the stage's content what a question that is asked would learn from it.
#pragma once

#include "course/answer_mask.h"
#include "ui/stage/content.h"
#include "ui/stage/headline.h"
#include "ui/sum_story.h"

namespace tilestep::ui {

// Cells become "?", marks and frames at the answer go. `step` is the run's that is shown.
void veil_content(const course::AnswerMask& veil, const ContentInputs& inputs,
                  StageContent& content);
// No sentence: the question stands there.
void veil_headline(const course::AnswerMask& veil, Headline& headline);
void veil_sum(const course::AnswerMask& veil, std::uint64_t step, SumStory& story);

}  // namespace tilestep::ui
