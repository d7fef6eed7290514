// The words for what a check finds.
#pragma once

#include "insight/check/finding.h"
#include "problem/words.h"

namespace tilestep {

template <>
inline constexpr auto kWords<insight::FindingKind> = std::to_array<Word<insight::FindingKind>>(
    {{insight::FindingKind::SharedRace, "shared-memory race", "shared-memory race"},
     {insight::FindingKind::GlobalRace, "global-memory race", "global-memory race"},
     {insight::FindingKind::IndexOverflow, "integer overflow in an index",
      "integer overflow in an index"},
     {insight::FindingKind::OutOfRange, "access out of range", "access out of range"},
     {insight::FindingKind::Misaligned, "misaligned access", "misaligned access"},
     {insight::FindingKind::UninitialisedRead, "uninitialised read", "uninitialised read"},
     {insight::FindingKind::StoreToInput, "store to an input", "store to an input"},
     {insight::FindingKind::NanProduced, "NaN produced", "NaN produced"},
     {insight::FindingKind::DivisionByZero, "integer division by zero", "integer division by zero"},
     {insight::FindingKind::UndefinedExchange, "undefined exchange in a warp",
      "undefined exchange in a warp"},
     {insight::FindingKind::DivergentBarrier, "divergent barrier", "divergent barrier"},
     {insight::FindingKind::BarrierDeadlock, "deadlock", "deadlock"},
     {insight::FindingKind::NotSimulated, "not simulated", "not simulated"},
     {insight::FindingKind::WildCall, "call of no function", "call of no function"},
     {insight::FindingKind::Trap, "trap", "trap"},
     {insight::FindingKind::StackOverflow, "stack overflow", "stack overflow"}});

}  // namespace tilestep
