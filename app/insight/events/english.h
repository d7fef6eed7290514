// What is said of events. One table, so that all of it can be read, tested and translated.
#pragma once

#include "problem/words.h"
#include "record/event_kind.h"

namespace tilestep::insight::events_english {

// {kind}: the word of an event (record/words.h).
inline constexpr Message kNoneAfter = "No {kind} after this step.";
inline constexpr Message kNoneBefore = "No {kind} before this step.";
inline constexpr Message kNoneOfAfter = "No {kind} of {what} after this step.";
inline constexpr Message kNoneOfBefore = "No {kind} of {what} before this step.";

inline constexpr Message kBarrier =
    "Barrier on line {line}: all of {block} are here, and {warp} goes on first.";
inline constexpr Message kConflict =
    "Bank conflict on line {line}: {warp} of {block} {verb} {array} in {passes} passes instead of "
    "{least}.";
inline constexpr Message kSectors =
    "Line {line}: {warp} of {block} {verb} {array} in {sectors} sectors; its bytes would fill "
    "{least}.";
inline constexpr Message kDivergence =
    "{warp} of {block} splits on line {line}: {lanes} of {active} lanes branch, {others} go on.";
inline constexpr Message kMasked =
    "Line {line}: {lanes} of {active} lanes of {warp} of {block} sit it out.";
inline constexpr Message kNan = "Line {line}: {thread} computes a NaN from numbers{others}.";
inline constexpr Message kNanOthers = ", and so do {count} lanes beside it";
inline constexpr Message kAccess = "Line {line}: {thread} {verb} {what}{others}.";
inline constexpr Message kAccessOthers = ", and {count} more lanes do";
inline constexpr Message kAssigned = "Line {line}: {thread} gives {what} a value.";
inline constexpr Message kChange = "{what}: {before} becomes {after} in {thread}.";

inline constexpr Message kNothingWatched =
    "Nothing is watched. Type an expression beside the play buttons, for example t or acc > 0.";
inline constexpr Message kNothingChosen =
    "No cell is chosen and nothing is watched. Click a cell of the stage, or watch a name.";
inline constexpr Message kPartOnly =
    "Only blocks {first} to {last} are recorded, and findings are known by the steps of the whole "
    "grid. Choose a smaller size to run to them.";

// {first}: the sentence of the finding that names the first of these faults.
inline constexpr Message kAgain = "Again on line {line}, by {thread}. {first}";

inline constexpr Message kBreakpoint = "Breakpoint: line {line} runs next.";
inline constexpr Message kCondition =
    "Breakpoint: line {line} runs next, and {condition} holds in {thread}.";
inline constexpr Message kWrongCondition = "Breakpoint on line {line}: {mistake}";
inline constexpr Message kRunOver = "The run is over: no {stops} after this step.";
inline constexpr Message kRunBegins = "This is the start: no {stops} before that step.";
inline constexpr Message kFindingStop = "finding";
inline constexpr Message kBreakpointStop = "breakpoint and no finding";

}  // namespace tilestep::insight::events_english
