#include "insight/check/finding.h"

namespace tilestep::insight {

const char* name(FindingKind kind) {
  switch (kind) {
    case FindingKind::SharedRace:
      return "shared-memory race";
    case FindingKind::GlobalRace:
      return "global-memory race";
    case FindingKind::IndexOverflow:
      return "integer overflow in an index";
    case FindingKind::OutOfRange:
      return "access out of range";
    case FindingKind::Misaligned:
      return "misaligned access";
    case FindingKind::UninitialisedRead:
      return "uninitialised read";
    case FindingKind::NanProduced:
      return "NaN produced";
    case FindingKind::UndefinedExchange:
      return "undefined exchange in a warp";
    case FindingKind::DivergentBarrier:
      return "divergent barrier";
    case FindingKind::BarrierDeadlock:
      return "deadlock";
    case FindingKind::NotSimulated:
      return "not simulated";
    case FindingKind::Trap:
      return "trap";
    case FindingKind::StackOverflow:
      return "stack overflow";
  }
  return "";
}

}  // namespace tilestep::insight
