// What is said of events. One table, so that all of it can be read, tested and translated.
#pragma once

#include "record/event_kind.h"

namespace tilestep::insight::events_english {

// {kind}: the word of an event (record/words.h).
inline constexpr const char* kNoneAfter = "No {kind} after this step.";
inline constexpr const char* kNoneBefore = "No {kind} before this step.";
inline constexpr const char* kNoneOf = "No {kind} of {what} {after} this step.";
inline constexpr const char* kAfter = "after";
inline constexpr const char* kBefore = "before";

inline constexpr const char* kBarrier =
    "Barrier on line {line}: all of {block} are here, and {warp} goes on first.";
inline constexpr const char* kConflict =
    "Bank conflict on line {line}: {warp} of {block} {verb} {array} in {passes} passes instead of "
    "{least}.";
inline constexpr const char* kSectors =
    "Line {line}: {warp} of {block} {verb} {array} in {sectors} sectors; its bytes would fill "
    "{least}.";
inline constexpr const char* kDivergence =
    "{warp} of {block} splits on line {line}: {lanes} of {active} lanes branch, {others} go on.";
inline constexpr const char* kMasked =
    "Line {line}: {lanes} of {active} lanes of {warp} of {block} sit it out.";
inline constexpr const char* kNan = "Line {line}: {thread} computes a NaN from numbers{others}.";
inline constexpr const char* kNanOthers = ", and so do {count} lanes beside it";
inline constexpr const char* kAccess = "Line {line}: {thread} {verb} {what}{others}.";
inline constexpr const char* kAccessOthers = ", and {count} more lanes do";
inline constexpr const char* kAssigned = "Line {line}: {thread} gives {what} a value.";
inline constexpr const char* kChange = "{what}: {before} becomes {after} in {thread}.";

inline constexpr const char* kNothingWatched =
    "Nothing is watched. Type an expression beside the play buttons, for example t or acc > 0.";
inline constexpr const char* kNothingChosen =
    "No cell is chosen and nothing is watched. Click a cell of the stage, or watch a name.";
inline constexpr const char* kPartOnly =
    "Only blocks {first} to {last} are recorded, and findings are known by the steps of the whole "
    "grid. Choose a smaller size to run to them.";

inline constexpr const char* kBreakpoint = "Breakpoint: line {line} runs next.";
inline constexpr const char* kCondition =
    "Breakpoint: line {line} runs next, and {condition} holds in {thread}.";
inline constexpr const char* kWrongCondition = "Breakpoint on line {line}: {mistake}";
inline constexpr const char* kRunOver = "The run is over: no {stops} after this step.";
inline constexpr const char* kRunBegins = "This is the start: no {stops} before that step.";
inline constexpr const char* kFindingStop = "finding";
inline constexpr const char* kBreakpointStop = "breakpoint and no finding";

}  // namespace tilestep::insight::events_english
