// The words for places in a run.
#pragma once

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

}  // namespace tilestep
