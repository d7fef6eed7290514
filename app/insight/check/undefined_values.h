// Undefined values that reach global memory or an atomic: results of a shuffle from a lane that
// does not take part (simt::UndefinedShuffle), variables that were never set, quotients of a
// division by 0 in optimized code, and NaNs produced from numbers.
//
// Many reductions read beyond their mask into lanes whose sums nobody uses. So such a value is
// followed through registers, parameters, local and shared memory, and reported only when it is
// stored. A value that merely depends on one (through a branch or an address) does not count as
// undefined: a missed report is better than a wrong one. A quotient or a NaN is also reported if it
// decides a branch or an address, because that is already wrong. One that a compiler moved above
// its test, or that a math function computes as an intermediate, decides nothing.
#pragma once

#include "insight/check/finding.h"
#include "insight/check/watchers.h"
#include "insight/shadow.h"
#include "ptx/model/control_flow.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilestep::insight {

class UndefinedValues final : public simt::Observer {
 public:
  // `machine` executes the launch; it must outlive this object. `unset`: unset registers of its
  // module; empty: variables are not followed.
  UndefinedValues(const simt::Machine& machine, const ptx::UnsetRegisters& unset);

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;
  void on_undefined_shuffle(const simt::StepInfo& info,
                            const simt::UndefinedShuffle& shuffle) override;
  void on_undefined_quotient(const simt::StepInfo& info, std::uint32_t mask) override;
  // A NanWatch::OnBirth callback; call it before this object's after_step().
  void on_nan(const simt::StepInfo& info, std::uint32_t mask,
              std::span<const std::uint64_t> operands);
  void on_block_end(std::uint32_t block) override;

  [[nodiscard]] std::vector<Finding> findings() const;  // one for each pair of source lines

 private:
  // Source of an undefined value: index into origins_, plus 1. 0: the value is defined.
  using Origin = std::uint32_t;
  using Lanes = SparseRegisters<Origin>::Lanes;
  enum class Kind : std::uint8_t { Variable, Shuffle, Quotient, Nan };
  struct Source {
    Kind kind = Kind::Variable;
    Party reader;            // thread that shuffles, or that computes a quotient or a NaN
    std::uint32_t from = 0;  // source lane of a shuffle
    std::string name;        // the shuffle's opcode, or the variable's name; empty: unknown
    const ptx::Instruction* instruction = nullptr;  // the one that produced a NaN
    std::array<std::uint64_t, 3> operands{};
  };
  struct Unset {
    ptx::Register reg;
    Origin origin = 0;
  };
  using Step = ShadowStep<SparseRegisters<Origin>>;

  [[nodiscard]] Step step(const simt::StepInfo& info);
  void name_unset(const ptx::Function& function, const std::vector<ptx::Register>& unset);
  // A function begins in these lanes: none of its variables is set.
  void forget(const Step& step, std::uint32_t function, std::uint32_t mask) const;
  [[nodiscard]] static Lanes origins(const Step& step, const ptx::Operand& operand,
                                     std::uint32_t part = 0);
  static void set(const Step& step, const ptx::Operand& operand, std::uint32_t part,
                  const Lanes& lanes, std::uint32_t mask);
  [[nodiscard]] Lanes result(const Step& step) const;
  [[nodiscard]] bool settles(const Step& step, const ptx::Operand& operand,
                             std::uint32_t lane) const;
  [[nodiscard]] Lanes shuffled(const Step& step) const;
  void load_parameter(const Step& step) const;
  void store_parameter(const Step& step) const;
  void pass_arguments(const Step& step);
  void pass_results(const Step& step);
  void access_word(const Step& step, const simt::MemoryEvent& event, std::uint32_t element,
                   std::uint32_t bytes);
  void report(const simt::StepInfo& info, const simt::MemoryEvent& event, std::uint32_t lane,
              Origin origin);
  // The origin of a quotient or NaN in a lane. Those of one kind, thread and instruction share one:
  // the last.
  [[nodiscard]] Origin number(const simt::StepInfo& info, std::uint32_t lane, Kind kind);
  [[nodiscard]] bool is_number(Origin origin) const;
  void report_led_by_number(const Step& step);
  void report_number(const Source& source);
  // Index of the thread in the block.
  [[nodiscard]] std::uint32_t thread(const simt::StepInfo& info, std::uint32_t lane) const;
  [[nodiscard]] Party party(const simt::StepInfo& info, std::uint32_t lane) const;

  const simt::Machine& machine_;
  WarpLines lines_;
  std::uint64_t step_ = 0;
  std::vector<Source> origins_;
  // Quotients and NaNs, by block, thread, function and pc. Those of ended blocks are free.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, Origin> numbers_;
  std::vector<Origin> free_;
  std::map<std::pair<Kind, std::uint32_t>, std::uint64_t> last_reported_;  // by line: the last step
                                                                           // that was reported
  std::vector<std::vector<Unset>> unset_;                                  // by function
  SparseWarps<Origin> warps_;
  // Words in local and shared memory, by block, thread (shared: all ones) and address.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, Origin> words_;
  // By the shuffle's line, the store's line, and the variable.
  std::map<std::tuple<std::uint32_t, std::uint32_t, Origin>, Finding> findings_;
};

}  // namespace tilestep::insight
