#include "insight/check/finding.h"

namespace tilestep::insight {

FindingKind finding_kind(simt::FaultKind kind) {
  switch (kind) {
    case simt::FaultKind::OutOfRange:
      return FindingKind::OutOfRange;
    case simt::FaultKind::Misaligned:
      return FindingKind::Misaligned;
    case simt::FaultKind::NotInMask:
      return FindingKind::UndefinedExchange;
    case simt::FaultKind::DivergentBarrier:
      return FindingKind::DivergentBarrier;
    case simt::FaultKind::BarrierDeadlock:
      return FindingKind::BarrierDeadlock;
    case simt::FaultKind::DivisionByZero:
      return FindingKind::DivisionByZero;
    case simt::FaultKind::NotSimulated:
    case simt::FaultKind::UndefinedCall:
    case simt::FaultKind::GridBarrier:
      return FindingKind::NotSimulated;
    case simt::FaultKind::WildCall:
      return FindingKind::WildCall;
    case simt::FaultKind::Trap:
      return FindingKind::Trap;
    case simt::FaultKind::StackOverflow:
      return FindingKind::StackOverflow;
  }
  return FindingKind::Trap;
}

}  // namespace tilestep::insight
