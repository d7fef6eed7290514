// The words for places in a run, kinds of questions and beats.
#pragma once

#include "lesson/lesson.h"
#include "lesson/place.h"
#include "problem/words.h"

namespace tilestep {

template <>
inline constexpr auto kWords<lesson::Place::Kind> = std::to_array<Word<lesson::Place::Kind>>(
    {{lesson::Place::Kind::Start, "start", "start"},
     {lesson::Place::Kind::End, "end", "end"},
     {lesson::Place::Kind::Step, "step", "step"},
     {lesson::Place::Kind::Statement, "statement", "statement"},
     {lesson::Place::Kind::Phase, "phase-start", "start of a phase"},
     {lesson::Place::Kind::PhaseMiddle, "phase", "middle of a phase"},
     {lesson::Place::Kind::PhaseEnd, "phase-end", "end of a phase"}});

template <>
inline constexpr auto kWords<lesson::QuestionKind> = std::to_array<Word<lesson::QuestionKind>>(
    {{lesson::QuestionKind::Number, "number", "a number"},
     {lesson::QuestionKind::Cell, "cell", "a cell"},
     {lesson::QuestionKind::Line, "line", "a line"},
     {lesson::QuestionKind::Thread, "thread", "a thread"},
     {lesson::QuestionKind::YesNo, "yes-no", "yes or no"},
     {lesson::QuestionKind::Choice, "choice", "a choice"}});

template <>
inline constexpr auto kWords<lesson::BeatKind> =
    std::to_array<Word<lesson::BeatKind>>({{lesson::BeatKind::Scene, "scene", "scene"},
                                           {lesson::BeatKind::Question, "question", "question"},
                                           {lesson::BeatKind::Lab, "lab", "lab"}});

}  // namespace tilestep
