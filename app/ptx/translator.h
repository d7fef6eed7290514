// Private to app/ptx: the translator of one kernel's machine code (translate.h).
#pragma once

#include "problem/result.h"
#include "ptx/model/module.h"
#include "ptx/sass/decode.h"
#include "ptx/sass/sass.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ptx {

// Places in the launch's constant bank (found in the code of ptxas).
struct ConstantBank {
  int architecture;  // from this one on
  std::int64_t block_size;
  std::int64_t grid_size;
  std::int64_t frame_end;   // of local memory: R1 at the start of a kernel
  std::int64_t descriptor;  // of global memory: not used here
  std::int64_t parameters;
};
constexpr std::array kConstantBanks = {ConstantBank{100, 0x360, 0x370, 0x37c, 0x358, 0x380},
                                       ConstantBank{90, 0x0, 0xc, 0x28, 0x208, 0x210},
                                       ConstantBank{80, 0x0, 0xc, 0x28, 0x118, 0x160}};
constexpr std::array kBlockSizes = {"%ntid.x", "%ntid.y", "%ntid.z"};
constexpr std::array kGridSizes = {"%nctaid.x", "%nctaid.y", "%nctaid.z"};

// What a minus on an operand means.
enum class Minus { Float, Integer, Inverts };

inline bool is_constant_predicate(const SassOperand& o) {
  return o.index == kTruePredicate;
}
// !PT: never true.
inline bool is_never(const SassOperand& o) {
  return is_constant_predicate(o) && o.negated;
}
inline bool is_always(const SassOperand& o) {
  return is_constant_predicate(o) && !o.negated;
}

inline bool is_zero(const SassOperand& o) {
  return (o.kind == SassOperand::Kind::Register && o.index == kZeroRegister) ||
         (o.kind == SassOperand::Kind::Uniform && o.index == kZeroUniform) ||
         (o.kind == SassOperand::Kind::Immediate && o.value == 0);
}

inline std::string predicate_name(const SassOperand& o) {
  return fmt::format("%{}{}", o.kind == SassOperand::Kind::UniformPredicate ? "UP" : "P", o.index);
}

inline std::string register_name(SassOperand::Kind kind, unsigned index) {
  return fmt::format("%{}{}", kind == SassOperand::Kind::Uniform ? "UR" : "R", index);
}

inline std::string literal(std::int64_t value) {
  return fmt::format("0x{:08x}", static_cast<std::uint32_t>(value));
}

// After the last instruction: a branch to itself, and NOPs.
inline bool is_filling(const SassInstruction& i) {
  return i.name == "NOP" || (i.name == "BRA" && i.operands[1].value == i.offset);
}

class Translator {
  using Kind = SassOperand::Kind;
  using Operands = std::span<const SassOperand>;

 public:
  Translator(const CubinKernel& kernel, const Module& fast, std::uint32_t entry)
      : kernel_(kernel),
        fast_(fast),
        function_(fast.functions[entry]),
        entry_(entry),
        bank_(*std::ranges::find_if(kConstantBanks, [&](const ConstantBank& bank) {
          return kernel.architecture >= bank.architecture;
        })) {}

  [[nodiscard]] Result<Module> module();

 private:
  // One line of PTX, under the instruction's guard.
  template <class... Args>
  void emit(fmt::format_string<Args...> format, Args&&... args) {
    body_ += fmt::format("\t{}{};\n", guard_, fmt::format(format, std::forward<Args>(args)...));
    owners_.push_back(index_);
    represented_.push_back(kNoPc);
  }
  // The line that represents the instruction.
  template <class... Args>
  void emit_main(fmt::format_string<Args...> format, Args&&... args) {
    emit(format, std::forward<Args>(args)...);
    mark();
  }
  // The last line represents the instruction; its comment is the instruction's own text.
  void mark() {
    if (!is_marked_) {
      represented_.back() = index_;
      body_.insert(body_.size() - 1, std::string(kMachineText) + i_->text());
      if (padding_ > 0) {
        padded_.emplace(static_cast<std::uint32_t>(represented_.size() - 1), padding_);
        padding_ = 0;
      }
      is_marked_ = true;
    }
  }

  [[nodiscard]] std::string word() { return fmt::format("%t{}", words_++); }
  [[nodiscard]] std::string pair() { return fmt::format("%d{}", pairs_++); }

  [[nodiscard]] std::string destination(const SassOperand& o, unsigned part = 0) {
    if (is_zero(o)) {
      return word();  // is not read again
    }
    note_register(o.kind, o.index + part);
    return register_name(o.kind, o.index + part);
  }
  void note_register(Kind kind, unsigned index) {
    unsigned& most = kind == Kind::Uniform ? uniforms_ : registers_;
    most = std::max(most, index + 1);
  }
  [[nodiscard]] std::string predicate_destination(const SassOperand& o) {
    return is_constant_predicate(o) ? std::string("%c7") : predicate_name(o);
  }

  // A word of the operand. If it has none that is simulated, the instruction is refused.
  [[nodiscard]] std::string plain_source(const SassOperand& o, unsigned part = 0);
  [[nodiscard]] std::string special_source(const SassOperand& o);
  [[nodiscard]] std::string source(const SassOperand& o, Minus minus = Minus::Integer);
  [[nodiscard]] std::string refused() {
    is_refused_ = true;
    return literal(0);
  }
  [[nodiscard]] std::string launch_constant(std::int64_t offset);
  [[nodiscard]] std::string own_constant(std::size_t offset);
  [[nodiscard]] std::string pair_source(const SassOperand& o);
  void set_pair(const SassOperand& o, const std::string& from);
  // A predicate as a source, "!%P0"; needs one that is not constant.
  [[nodiscard]] static std::string condition(const SassOperand& o) {
    return (o.negated ? "!" : "") + predicate_name(o);
  }
  // A predicate's value as 0 or `value`.
  [[nodiscard]] std::string selected(const SassOperand& o, const char* value);
  // True where the word is not zero.
  void set_predicate(const SassOperand& o, const std::string& from);
  // Both; one that is the instruction's own guard last.
  void set_predicates(const SassOperand& p, const std::string& from_p, const SassOperand& q,
                      const std::string& from_q);

  struct Carries {
    const SassOperand* in = nullptr;
    const SassOperand* in_2 = nullptr;
    const SassOperand* out = nullptr;
    const SassOperand* out_2 = nullptr;
  };
  void add(const SassOperand& to, const std::string& a, const std::string& b, const std::string& c,
           const Carries& carries);
  [[nodiscard]] std::string added(const std::string& a, const std::string& b,
                                  const SassOperand* carry_in, std::string* carry_out);

  [[nodiscard]] std::string near_address(const SassOperand& o);
  [[nodiscard]] std::string far_address(const SassOperand& o);
  [[nodiscard]] std::string width();
  [[nodiscard]] std::string vector_of(const SassOperand& o, unsigned count, bool writes);
  [[nodiscard]] unsigned words_accessed() const {
    return i_->has(".128") ? 4 : i_->has(".64") ? 2 : 1;
  }

  bool float_arithmetic(Operands o);
  bool sum(Operands o);
  bool multiply_add(Operands o);
  bool shifted_sum(Operands o);
  bool shift(Operands o);
  bool logic(Operands o);
  bool predicate_logic(Operands o);
  bool compare(Operands o);
  bool minimum(Operands o);
  bool permute(Operands o);
  bool select(Operands o);
  bool move(Operands o);
  bool convert(Operands o);
  bool shuffle(Operands o);
  bool access(Operands o);
  bool copy_async(Operands o);
  bool control(Operands o);
  bool product_of_matrices(Operands o);

  bool translate();
  [[nodiscard]] Result<void> translate_all(const std::vector<SassInstruction>& decoded);
  [[nodiscard]] std::string head() const;
  [[nodiscard]] std::vector<std::string> first_lines() const;
  void take_names(Module& module) const;
  void write_line();
  void set_meeting_places(Function& function, const std::vector<SassInstruction>& decoded) const;
  [[nodiscard]] std::string declarations() const;

  const CubinKernel& kernel_;
  const Module& fast_;
  const Function& function_;
  std::uint32_t entry_;
  const ConstantBank& bank_;

  const SassInstruction* i_ = nullptr;
  std::uint32_t index_ = 0;
  std::uint32_t line_ = 0;
  std::string body_;
  std::string guard_;
  bool is_marked_ = false;
  bool is_refused_ = false;
  bool uses_never_ = false;
  unsigned words_ = 0;
  unsigned pairs_ = 0;
  unsigned most_words_ = 1;
  unsigned most_pairs_ = 1;
  unsigned registers_ = 1;
  unsigned uniforms_ = 1;
  // By line: the instruction that it is a part of, and the one that it represents.
  std::vector<std::uint32_t> owners_;
  std::vector<std::uint32_t> represented_;
  std::uint32_t padding_ = 0;  // loads that are never executed, before the next instruction
  std::map<std::uint32_t, std::uint32_t> padded_;
};

}  // namespace tilestep::ptx
