// Sentences for findings, for students: which thread did what to which element, and what is
// missing.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/suspects.h"
#include "simt/machine/program.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilestep::insight {

// How two racing accesses relate.
struct RaceShape {
  bool same_block = true;
  bool same_warp = false;
  bool same_instruction = false;
  // One is a read, the other a store: the program has the read first (a later store may be too
  // early).
  bool read_comes_first = false;
  // In two blocks: a flag or a counter passed from the first to the second.
  bool missing_fence = false;
  bool both_initialise = false;  // an mbarrier
  bool has_copy = false;         // one of the stores is an asynchronous copy
  // The copy is the first of the two, and nobody has waited for it.
  bool copy_under_way = false;
  // A unit reads what a thread has stored without fence.proxy.async.
  bool hidden_from_unit = false;
  std::array<simt::AccessAgent, 2> agents{};  // of the two accesses
};
[[nodiscard]] std::string race_sentence(const simt::Program& program, const Finding& finding,
                                        const RaceShape& shape);
[[nodiscard]] std::string uninitialised_sentence(const simt::Program& program,
                                                 const Finding& finding, simt::AllocationKind kind);
// `operation` with its numbers: "0 / 0".
[[nodiscard]] std::string nan_sentence(const simt::Program& program, const Finding& finding,
                                       const std::string& operation);
// `opcode`: the shuffle's. `from`: the lane that it reads from.
[[nodiscard]] std::string undefined_sentence(const simt::Program& program, const Finding& finding,
                                             const std::string& opcode, std::uint32_t from);
// A local variable that is not set. `stored`: the element that receives the value; empty: unknown.
[[nodiscard]] std::string unset_sentence(const simt::Program& program, const Finding& finding,
                                         const std::string& stored);
[[nodiscard]] std::string input_store_sentence(const simt::Program& program,
                                               const Finding& finding);
// A run of `steps` warp instructions that was cancelled. `at`: a thread that had not ended.
[[nodiscard]] std::string cancelled_sentence(const simt::Program& program, std::uint64_t steps,
                                             std::uint32_t blocks_ended,
                                             const std::optional<Party>& at);
[[nodiscard]] std::string early_exit_sentence(const simt::Program& program, const EarlyExit& exit);
// A 32-bit result that does not fit.
struct WrappedNumber {
  std::string operation;  // "65536 × 65536"
  bool is_unsigned = false;
  std::int64_t exact = 0;
  std::int64_t held = 0;
};
// A buffer that the description calls an output and that no thread stored to.
[[nodiscard]] std::string nothing_stored_sentence(const std::string& buffer);
[[nodiscard]] std::string overflow_sentence(const simt::Program& program, const Finding& finding,
                                            const WrappedNumber& number);
// An integer division by 0.
[[nodiscard]] std::string division_sentence(const simt::Program& program, const Finding& finding);
// Faults: `event` as the machine reported it, `place` of its address, `opcode` of the instruction.
[[nodiscard]] std::string fault_sentence(const simt::Program& program, const Finding& finding,
                                         const simt::FaultEvent& event, const simt::Place& place,
                                         std::string_view opcode);

// Sentences about the TMA unit and the tensor cores, which access memory for a thread.

// A unit reads what a thread has stored, and fence.proxy.async is missing.
[[nodiscard]] std::string hidden_from_unit(const simt::Program& program, const Finding& finding,
                                           const RaceShape& shape);
// The first of the two accesses is a bulk copy, and nobody has waited for its mbarrier.
[[nodiscard]] std::string unfinished_bulk_copy(const simt::Program& program,
                                               const Finding& finding);

}  // namespace tilestep::insight
