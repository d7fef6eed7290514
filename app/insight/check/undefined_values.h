// Undefined values, where they reach global memory or an atomic: what a shuffle took from a lane
// without a part in it (simt::UndefinedShuffle), variables that were never set, quotients of a
// division by 0 in optimised code, and NaNs born of numbers.
//
// Many reductions read beyond their mask in lanes whose sums nobody uses, so such a value is
// followed through registers, parameters, local and shared memory, and told only where it is
// stored. What merely depends on one (the way a branch takes, the place an address leads to) is not
// taken for undefined: better nothing is told than something that is none. Of a quotient
// and a NaN both are told too: the way or the address is wrong already, while one that a compiler
// moved above its test, or that a math function computes on the way to a number, leads nowhere.
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
  // `machine` is the one that runs; it must outlive this. `unset`: of its module;
  // empty: variables are not followed.
  UndefinedValues(const simt::Machine& machine, const ptx::UnsetRegisters& unset);

  [[nodiscard]] bool wants_steps() const override { return true; }
  void before_step(const simt::StepInfo& info) override;
  void after_step(const simt::StepInfo& info) override;
  void on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) override;
  void on_undefined_shuffle(const simt::StepInfo& info,
                            const simt::UndefinedShuffle& shuffle) override;
  void on_undefined_quotient(const simt::StepInfo& info, std::uint32_t mask) override;
  // NanWatch::OnBirth: to be called before after_step() of this.
  void on_nan(const simt::StepInfo& info, std::uint32_t mask,
              std::span<const std::uint64_t> operands);
  void on_block_end(std::uint32_t block) override;

  [[nodiscard]] std::vector<Finding> findings() const;  // one a pair of source lines

 private:
  // Where an undefined value comes from: index into origins_, plus 1; 0: the value is defined.
  using Origin = std::uint32_t;
  using Lanes = SparseRegisters<Origin>::Lanes;
  enum class Kind : std::uint8_t { Variable, Shuffle, Quotient, Nan };
  struct Source {
    Kind kind = Kind::Variable;
    Party reader;            // of a shuffle; who computes a quotient or a NaN
    std::uint32_t from = 0;  // lane of a shuffle
    std::string name;        // the shuffle's opcode; the variable's name, empty: unknown
    const ptx::Instruction* instruction = nullptr;  // that a NaN is born of
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
  // A quotient or NaN in a lane: the last one of its kind, thread and instruction stands for all.
  [[nodiscard]] Origin number(const simt::StepInfo& info, std::uint32_t lane, Kind kind);
  [[nodiscard]] bool is_number(Origin origin) const;
  void report_led_by_number(const Step& step);
  void report_number(const Source& source);
  // Its number in the block.
  [[nodiscard]] std::uint32_t thread(const simt::StepInfo& info, std::uint32_t lane) const;
  [[nodiscard]] Party party(const simt::StepInfo& info, std::uint32_t lane) const;

  const simt::Machine& machine_;
  WarpLines lines_;
  std::uint64_t step_ = 0;
  std::vector<Source> origins_;
  // Of quotients and NaNs, by block, thread, function and pc. Those of blocks that have ended are
  // free.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, Origin> numbers_;
  std::vector<Origin> free_;
  std::map<std::pair<Kind, std::uint32_t>, std::uint64_t> told_;  // by line: the last step told
  std::vector<std::vector<Unset>> unset_;                         // by function
  SparseWarps<Origin> warps_;
  // Of words in local and shared memory, by block, thread (shared: all ones) and address.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, Origin> words_;
  // By the shuffle's line, the store's, and the variable.
  std::map<std::tuple<std::uint32_t, std::uint32_t, Origin>, Finding> findings_;
};

}  // namespace tilestep::insight
