// The words for how a lab was graded.
#pragma once

#include "course/lab.h"
#include "problem/words.h"

namespace tilestep {

template <>
inline constexpr auto kWords<course::LabOutcome> = std::to_array<Word<course::LabOutcome>>(
    {{course::LabOutcome::Passed, "passed", "passed"},
     {course::LabOutcome::NotCompiled, "not-compiled", "does not compile"},
     {course::LabOutcome::Refused, "refused", "cannot be launched"},
     {course::LabOutcome::Found, "finding", "has a finding"},
     {course::LabOutcome::Wrong, "wrong", "is wrong"},
     {course::LabOutcome::Condition, "condition", "breaks a condition"},
     {course::LabOutcome::Unknown, "unknown", "cannot be judged"},
     {course::LabOutcome::CutOff, "cut-off", "was cut off"},
     {course::LabOutcome::OutOfMemory, "out-of-memory", "needs too much memory"},
     {course::LabOutcome::Crashed, "crashed", "crashed"},
     {course::LabOutcome::Unreadable, "unreadable", "cannot be read"}});

template <>
inline constexpr auto kWords<course::LabProgress::Stage> =
    std::to_array<Word<course::LabProgress::Stage>>(
        {{course::LabProgress::Stage::Compiling, "compiling", "compiling"},
         {course::LabProgress::Stage::Running, "running", "running"},
         {course::LabProgress::Stage::Conditions, "conditions", "checking the conditions"},
         {course::LabProgress::Stage::Placing, "placing", "finding the place"}});

}  // namespace tilestep
