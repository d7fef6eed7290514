// A finding: one thing that is wrong with a launch, where it is and which threads take part.
#pragma once

#include "problem/problem.h"
#include "problem/words.h"
#include "simt/state/event.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::insight {

enum class FindingKind {
  SharedRace,
  GlobalRace,
  IndexOverflow,
  OutOfRange,
  Misaligned,
  UninitialisedRead,
  StoreToInput,
  NanProduced,
  DivisionByZero,
  UndefinedExchange,
  DivergentBarrier,
  BarrierDeadlock,
  NotSimulated,  // a limit of Tilestep, not a mistake in the kernel
  WildCall,
  Trap,
  StackOverflow,
};

// The kind of finding that reports a machine fault.
[[nodiscard]] FindingKind finding_kind(simt::FaultKind kind);

struct Party {
  problem::Dim3 block;
  problem::Dim3 thread;
  std::uint32_t line = 0;
  std::uint64_t step = 0;                  // in the run that was analyzed
  std::optional<simt::AccessKind> access;  // empty: a calculation, a barrier, a call or an exchange
};

// Whether the party is in this block and in steps [first_step, last_step).
[[nodiscard]] inline bool is_in(const Party& party, const problem::Dim3& grid, std::uint32_t block,
                                std::uint64_t first_step, std::uint64_t last_step) {
  return first_step <= party.step && party.step < last_step && grid.linear(party.block) == block;
}

struct Finding {
  FindingKind kind = FindingKind::SharedRace;
  std::string variable;  // "As" or "A"
  std::string element;   // "As[1][2]", "A[8][0]"; empty: none
  // In execution order. Two for a race; the operation and the access for an index that overflows;
  // otherwise one.
  std::vector<Party> parties;
  // Two racing stores stored the same bits, so the result does not show the race.
  bool same_value = false;
  // The accesses of the race were executed in the opposite of the program's order (race_effect.h).
  bool takes_effect = false;
  std::uint64_t occurrences = 1;  // findings are deduplicated by kind, variable and source lines
  std::string sentence;  // for a student: which thread did what to which element, and what is
                         // missing
};
// Whether a finding on an element takes effect (its last party) in the block's steps [first_step,
// last_step).
[[nodiscard]] inline bool takes_effect_in(const Finding& finding, const problem::Dim3& grid,
                                          std::uint32_t block, std::uint64_t first_step,
                                          std::uint64_t last_step) {
  return !finding.element.empty() && !finding.parties.empty() &&
         is_in(finding.parties.back(), grid, block, first_step, last_step);
}

// Findings of an observer that keeps one finding for each key.
template <class Map>
[[nodiscard]] std::vector<Finding> findings_of(const Map& by_key) {
  std::vector<Finding> all;
  for (const auto& entry : by_key) {
    all.push_back(entry.second);
  }
  return all;
}

}  // namespace tilestep::insight

namespace tilestep {

// Words for the kinds of findings.

template <>
inline constexpr auto kWords<insight::FindingKind> = std::to_array<Word<insight::FindingKind>>(
    {{insight::FindingKind::SharedRace, "shared-memory race", "shared-memory race"},
     {insight::FindingKind::GlobalRace, "global-memory race", "global-memory race"},
     {insight::FindingKind::IndexOverflow, "integer overflow in an index",
      "integer overflow in an index"},
     {insight::FindingKind::OutOfRange, "access out of range", "access out of range"},
     {insight::FindingKind::Misaligned, "misaligned access", "misaligned access"},
     {insight::FindingKind::UninitialisedRead, "uninitialised read", "uninitialized read"},
     {insight::FindingKind::StoreToInput, "store to an input", "store to an input"},
     {insight::FindingKind::NanProduced, "NaN produced", "NaN produced"},
     {insight::FindingKind::DivisionByZero, "integer division by zero", "integer division by zero"},
     {insight::FindingKind::UndefinedExchange, "undefined exchange in a warp",
      "undefined exchange in a warp"},
     {insight::FindingKind::DivergentBarrier, "divergent barrier", "divergent barrier"},
     {insight::FindingKind::BarrierDeadlock, "deadlock", "deadlock"},
     {insight::FindingKind::NotSimulated, "not simulated", "not simulated"},
     {insight::FindingKind::WildCall, "call through an invalid pointer",
      "call through an invalid pointer"},
     {insight::FindingKind::Trap, "trap", "trap"},
     {insight::FindingKind::StackOverflow, "stack overflow", "stack overflow"}});

}  // namespace tilestep
