#include "ptx/sass/translate.h"

#include "problem/tr.h"
#include "ptx/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace tilestep::ptx {
namespace {

using Kind = SassOperand::Kind;
using Operands = std::span<const SassOperand>;

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

// ptxas merges three loads of adjacent words into one of four.
constexpr std::uint32_t kSpareSharedBytes = 12;

// What a minus on an operand means.
enum class Minus { Float, Integer, Inverts };

bool is_constant_predicate(const SassOperand& o) {
  return o.index == kTruePredicate;
}
// !PT: never true.
bool is_never(const SassOperand& o) {
  return is_constant_predicate(o) && o.negated;
}
bool is_always(const SassOperand& o) {
  return is_constant_predicate(o) && !o.negated;
}

bool is_zero(const SassOperand& o) {
  return (o.kind == Kind::Register && o.index == kZeroRegister) ||
         (o.kind == Kind::Uniform && o.index == kZeroUniform) ||
         (o.kind == Kind::Immediate && o.value == 0);
}

std::string predicate_name(const SassOperand& o) {
  return fmt::format("%{}{}", o.kind == Kind::UniformPredicate ? "UP" : "P", o.index);
}

std::string register_name(Kind kind, unsigned index) {
  return fmt::format("%{}{}", kind == Kind::Uniform ? "UR" : "R", index);
}

std::string literal(std::int64_t value) {
  return fmt::format("0x{:08x}", static_cast<std::uint32_t>(value));
}

// After the last instruction: a branch to itself, and NOPs.
bool is_filling(const SassInstruction& i) {
  return i.name == "NOP" || (i.name == "BRA" && i.operands[1].value == i.offset);
}

class Translator {
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
    represented_.push_back(kNoPc);
  }
  // The line that represents the instruction.
  template <class... Args>
  void emit_main(fmt::format_string<Args...> format, Args&&... args) {
    emit(format, std::forward<Args>(args)...);
    mark();
  }
  void mark() {
    if (!is_marked_) {
      represented_.back() = index_;
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

  [[nodiscard]] std::string plain_source(const SassOperand& o, unsigned part = 0);
  [[nodiscard]] std::string source(const SassOperand& o, Minus minus = Minus::Integer);
  [[nodiscard]] std::string constant_at(std::int64_t offset);
  [[nodiscard]] std::string pair_source(const SassOperand& o);
  void set_pair(const SassOperand& o, const std::string& from);
  // A predicate as a source, "!%P0"; needs one that is not constant.
  [[nodiscard]] static std::string condition(const SassOperand& o) {
    return (o.negated ? "!" : "") + predicate_name(o);
  }
  // A predicate's value as 0 or `value`.
  [[nodiscard]] std::string selected(const SassOperand& o, const char* value);
  void set_predicate(const SassOperand& o, const std::string& word_that_is_not_zero);

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
  bool access(Operands o);
  bool copy_async(Operands o);
  bool control(Operands o);
  bool product_of_matrices(Operands o);

  bool translate();
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
  unsigned words_ = 0;
  unsigned pairs_ = 0;
  unsigned most_words_ = 1;
  unsigned most_pairs_ = 1;
  unsigned registers_ = 1;
  unsigned uniforms_ = 1;
  std::vector<std::uint32_t> represented_;
  std::uint32_t padding_ = 0;  // loads that are never executed, before the next instruction
  std::map<std::uint32_t, std::uint32_t> padded_;
};

// A word of the launch's constants.
std::string Translator::constant_at(std::int64_t offset) {
  const std::string to = word();
  if (offset >= bank_.parameters) {
    for (const Param& param : function_.params) {
      const std::int64_t at = offset - bank_.parameters - param.offset;
      if (at >= 0 && at < param.bytes) {
        emit("ld.param.b32 {}, [{}+{}]", to, param.symbol, at);
        return to;
      }
    }
    return "";
  }
  for (const auto& [start, sizes] :
       {std::pair{bank_.block_size, kBlockSizes}, std::pair{bank_.grid_size, kGridSizes}}) {
    if (offset >= start && offset < start + 12) {
      emit("mov.u32 {}, {}", to, sizes[static_cast<std::size_t>(offset - start) / 4]);
      return to;
    }
  }
  if (offset == bank_.frame_end) {
    return literal(kernel_.local_bytes);
  }
  return offset == bank_.descriptor || offset == bank_.descriptor + 4 ? literal(0) : "";
}

std::string Translator::plain_source(const SassOperand& o, unsigned part) {
  switch (o.kind) {
    case Kind::Register:
    case Kind::Uniform:
      if (is_zero(o)) {
        return literal(0);
      }
      note_register(o.kind, o.index + part);
      return register_name(o.kind, o.index + part);
    case Kind::Immediate:
      return literal(part == 0 ? o.value : o.value >> 32);
    case Kind::Halves:
      return literal(o.value);
    case Kind::Constant:
      if (o.bank == 2) {
        std::int32_t value = 0;
        const auto at = static_cast<std::size_t>(o.value) + 4 * part;
        if (at + 4 > kernel_.constants.size()) {
          return "";
        }
        std::memcpy(&value, &kernel_.constants[at], 4);
        return literal(value);
      }
      return o.bank == 0 && (o.index == kZeroRegister) ? constant_at(o.value + 4 * part) : "";
    default:
      return "";
  }
}

std::string Translator::source(const SassOperand& o, Minus minus) {
  std::string from = plain_source(o);
  if (minus == Minus::Float && from.starts_with("0x")) {
    from[1] = 'f';  // 0f3f800000
  }
  const auto changed = [&](const char* operation) {
    const std::string to = word();
    emit("{} {}, {}", operation, to, from);
    from = to;
  };
  if (o.absolute) {
    changed("abs.f32");
  }
  if (o.negated) {
    changed(minus == Minus::Float ? "neg.f32" : minus == Minus::Integer ? "neg.s32" : "not.b32");
  }
  return from;
}

std::string Translator::pair_source(const SassOperand& o) {
  const std::string to = pair();
  emit("mov.b64 {}, {{{}, {}}}", to, plain_source(o), plain_source(o, 1));
  return to;
}

void Translator::set_pair(const SassOperand& o, const std::string& from) {
  emit("mov.b64 {{{}, {}}}, {}", destination(o), destination(o, 1), from);
}

std::string Translator::selected(const SassOperand& o, const char* value) {
  if (is_constant_predicate(o)) {
    return o.negated ? "0" : value;
  }
  const std::string to = word();
  const char* const when_true = o.negated ? "0" : value;
  const char* const when_false = o.negated ? value : "0";
  emit("selp.b32 {}, {}, {}, {}", to, when_true, when_false, predicate_name(o));
  return to;
}

void Translator::set_predicate(const SassOperand& o, const std::string& from) {
  if (!is_constant_predicate(o)) {
    emit("setp.ne.u32 {}, {}, 0", predicate_name(o), from);
  }
}

// a + b + carry_in; `carry_out`, unless null, gets a word that is the carry.
std::string Translator::added(const std::string& a, const std::string& b,
                              const SassOperand* carry_in, std::string* carry_out) {
  const bool has_in = carry_in != nullptr && !is_never(*carry_in);
  if (has_in) {
    const std::string carry = selected(*carry_in, "1");
    emit("add.cc.u32 {}, {}, 0xffffffff", word(), carry);
  }
  const std::string to = word();
  emit("add{}{}.u32 {}, {}, {}", has_in ? "c" : "", carry_out != nullptr ? ".cc" : "", to, a, b);
  if (carry_out != nullptr) {
    *carry_out = word();
    emit("addc.u32 {}, 0, 0", *carry_out);
  }
  return to;
}

void Translator::add(const SassOperand& to, const std::string& a, const std::string& b,
                     const std::string& c, const Carries& carries) {
  const bool has_out = carries.out != nullptr && !is_constant_predicate(*carries.out);
  const bool has_out_2 = carries.out_2 != nullptr && !is_constant_predicate(*carries.out_2);
  std::string carry;
  std::string carry_2;
  std::string sum = added(a, b, carries.in, has_out || has_out_2 ? &carry : nullptr);
  const bool has_second = c != literal(0) || (carries.in_2 != nullptr && !is_never(*carries.in_2));
  if (has_second) {
    sum = added(sum, c, carries.in_2, has_out || has_out_2 ? &carry_2 : nullptr);
  }
  emit_main("mov.b32 {}, {}", destination(to), sum);
  if (has_out && !has_out_2 && has_second) {
    emit("add.u32 {}, {}, {}", carry, carry, carry_2);
  }
  if (has_out) {
    set_predicate(*carries.out, carry);
  }
  if (has_out_2) {
    set_predicate(*carries.out_2, has_second ? carry_2 : "0");
  }
}

// FFMA, FADD, FMUL, MUFU, HFMA2
bool Translator::float_arithmetic(Operands o) {
  const std::string_view name = i_->name;
  if (i_->has(".RM") || i_->has(".RP") || i_->has(".RZ")) {
    return false;
  }
  const char* const ftz = i_->has(".FTZ") ? ".ftz" : "";
  const char* const sat = i_->has(".SAT") ? ".sat" : "";
  if (name == "FFMA") {
    const std::string a = source(o[1], Minus::Float);
    const std::string b = source(o[2], Minus::Float);
    const std::string c = source(o[3], Minus::Float);
    emit_main("fma.rn{}{}.f32 {}, {}, {}, {}", ftz, sat, destination(o[0]), a, b, c);
    return true;
  }
  if (name == "FADD" || name == "FMUL") {
    const std::string a = source(o[1], Minus::Float);
    const std::string b = source(o[2], Minus::Float);
    emit_main("{}.rn{}{}.f32 {}, {}, {}", name == "FADD" ? "add" : "mul", ftz, sat,
              destination(o[0]), a, b);
    return true;
  }
  if (name == "MUFU" && i_->has(".RCP")) {
    const std::string a = source(o[1], Minus::Float);
    emit_main("rcp.approx.ftz.f32 {}, {}", destination(o[0]), a);
    return true;
  }
  // -0 · 0 + a constant: a move.
  const bool moves = name == "HFMA2" && is_zero(o[1]) && is_zero(o[2]) && o[3].kind == Kind::Halves;
  if (moves) {
    emit_main("mov.b32 {}, {}", destination(o[0]), literal(o[3].value));
  }
  return moves;
}

// IADD3: d, carries out, three addends, carries in. VIADD: d, two addends.
bool Translator::sum(Operands o) {
  if (i_->has(".64")) {  // of pairs
    const SassOperand& first = o.size() == 3 ? o[1] : o[3];
    const SassOperand& second = o.size() == 3 ? o[2] : o[4];
    if (first.negated || second.negated || (o.size() > 3 && !is_zero(o[5]))) {
      return false;
    }
    const std::string a = pair_source(first);
    const std::string b =
        second.kind == Kind::Immediate ? std::to_string(second.value) : pair_source(second);
    const std::string to = pair();
    emit_main("add.u64 {}, {}, {}", to, a, b);
    set_pair(o[0], to);
    return true;
  }
  if (o.size() == 3) {
    const std::string a = source(o[1]);
    const std::string b = source(o[2]);
    emit_main("add.u32 {}, {}, {}", destination(o[0]), a, b);
    return true;
  }
  const bool extends = i_->has(".X");
  const bool has_out = !is_constant_predicate(o[1]) || !is_constant_predicate(o[2]);
  if (has_out && !extends && (o[3].negated || o[4].negated || o[5].negated)) {
    // A subtraction's carry is that of a + ~b + 1.
    std::array<const SassOperand*, 3> order{&o[3], &o[4], &o[5]};
    const auto negated = std::ranges::count_if(order, [](const auto* a) { return a->negated; });
    if (negated != 1) {
      return false;
    }
    std::ranges::stable_partition(order, [](const auto* a) { return !a->negated; });
    SassOperand one = o[6];
    one.index = kTruePredicate;
    one.negated = false;
    const std::string first = source(*order[0]);
    const std::string second = source(*order[1]);
    const std::string inverted = source(*order[2], Minus::Inverts);
    add(o[0], first, inverted, second, {&one, nullptr, &o[1], &o[2]});
    return true;
  }
  const Minus minus = extends ? Minus::Inverts : Minus::Integer;
  const std::string a = source(o[3], minus);
  const std::string b = source(o[4], minus);
  const std::string c = source(o[5], minus);
  if (!extends && !has_out) {
    const std::string& last = c;
    if (last == literal(0)) {
      emit_main("add.u32 {}, {}, {}", destination(o[0]), a, b);
    } else {
      const std::string both = word();
      emit("add.u32 {}, {}, {}", both, a, b);
      emit_main("add.u32 {}, {}, {}", destination(o[0]), both, c);
    }
    return true;
  }
  add(o[0], a, b, c, {extends ? &o[6] : nullptr, extends ? &o[7] : nullptr, &o[1], &o[2]});
  return true;
}

// IMAD: d, carry out, a, b, c, carry in
bool Translator::multiply_add(Operands o) {
  if (!is_constant_predicate(o[1])) {
    return false;
  }
  const char* const type = i_->has(".U32") ? "u32" : "s32";
  const std::string a = source(o[2]);
  const std::string b = source(o[3]);
  if (i_->has(".WIDE") || i_->has(".HI")) {
    if (o[4].negated) {
      return false;
    }
    const std::string to = pair();
    if (is_zero(o[4])) {
      emit_main("mul.wide.{} {}, {}, {}", type, to, a, b);
    } else {
      const std::string c = pair_source(o[4]);
      emit_main("mad.wide.{} {}, {}, {}, {}", type, to, a, b, c);
    }
    if (i_->has(".WIDE")) {
      set_pair(o[0], to);
    } else {
      const std::string low = word();
      emit("mov.b64 {{{}, {}}}, {}", low, destination(o[0]), to);
    }
    return true;
  }
  if (i_->has(".X")) {
    const std::string product = word();
    emit("mul.lo.s32 {}, {}, {}", product, a, b);
    const std::string c = source(o[4], Minus::Inverts);
    add(o[0], product, c, literal(0), {&o[5], nullptr, nullptr, nullptr});
    return true;
  }
  const std::string c = source(o[4]);
  if (is_zero(o[2]) && is_zero(o[3])) {
    emit_main("mov.b32 {}, {}", destination(o[0]), c);
  } else if (o[3].kind == Kind::Immediate && o[3].value == 1) {
    emit_main("add.u32 {}, {}, {}", destination(o[0]), a, c);
  } else if (is_zero(o[4])) {
    emit_main("mul.lo.s32 {}, {}, {}", destination(o[0]), a, b);
  } else {
    emit_main("mad.lo.s32 {}, {}, {}, {}", destination(o[0]), a, b, c);
  }
  return true;
}

// LEA: d, carry out, a, b, the high word of a, the shift, carry in: (a << shift) + b
bool Translator::shifted_sum(Operands o) {
  const bool extends = i_->has(".X");
  const std::int64_t by = o[5].value;
  const std::string a = source(o[2]);
  const bool has_out = !is_constant_predicate(o[1]);
  if (has_out && o[3].negated) {
    return false;
  }
  const std::string b = source(o[3], extends ? Minus::Inverts : Minus::Integer);
  std::string shifted = word();
  if (i_->has(".HI")) {
    // The high word of (high : a) << by.
    if (by > 0 && (i_->has(".SX32") || is_zero(o[4]))) {
      emit("shr.{} {}, {}, {}", i_->has(".SX32") ? "s32" : "u32", shifted, a, 32 - by);
    } else if (i_->has(".SX32")) {
      emit("shr.s32 {}, {}, 31", shifted, a);
    } else {
      const std::string whole = pair();
      emit("mov.b64 {}, {{{}, {}}}", whole, a, source(o[4]));
      emit("shl.b64 {}, {}, {}", whole, whole, by);
      emit("mov.b64 {{{}, {}}}, {}", word(), shifted, whole);
    }
  } else if (!has_out && !extends) {
    emit_main("mad.lo.s32 {}, {}, {}, {}", destination(o[0]), a, literal(std::int64_t{1} << by), b);
    return true;
  } else {
    emit("shl.b32 {}, {}, {}", shifted, a, by);
  }
  if (!has_out && !extends) {
    emit_main("add.u32 {}, {}, {}", destination(o[0]), shifted, b);
    return true;
  }
  add(o[0], shifted, b, literal(0), {extends ? &o[6] : nullptr, nullptr, &o[1], nullptr});
  return true;
}

// SHF: d, the low word, the shift, the high word
bool Translator::shift(Operands o) {
  const std::string low = source(o[1]);
  const std::string by = source(o[2]);
  const std::string high = source(o[3]);
  const std::string to = destination(o[0]);
  const bool is_long = i_->has(".U64") || i_->has(".S64");
  const bool is_signed = i_->has(".S32") || i_->has(".S64");
  const bool takes_high = i_->has(".HI");
  const char* const limit = i_->has(".W") ? "wrap" : "clamp";
  if (i_->has(".L")) {
    if (takes_high) {
      emit_main("shf.l.{}.b32 {}, {}, {}, {}", limit, to, low, high, by);
    } else if (i_->has(".W")) {
      return false;
    } else {
      emit_main("shl.b32 {}, {}, {}", to, low, by);
    }
    return true;
  }
  if (takes_high && !i_->has(".W")) {
    emit_main("shr.{} {}, {}, {}", is_signed ? "s32" : "u32", to, high, by);
    return true;
  }
  if (is_long || !is_zero(o[3])) {
    emit_main("shf.r.{}.b32 {}, {}, {}, {}", limit, to, low, high, by);
    return true;
  }
  return false;
}

// LOP3: predicate, d, a, b, c, table, a predicate that is joined
bool Translator::logic(Operands o) {
  if (!is_never(o[6])) {
    return false;
  }
  const std::string a = source(o[2]);
  const std::string b = source(o[3]);
  const std::string c = source(o[4]);
  const std::string to = destination(o[1]);
  static constexpr std::array<std::pair<std::int64_t, const char*>, 3> kOfTwo = {
      {{0xc0, "and"}, {0xfc, "or"}, {0x3c, "xor"}}};
  const auto* const two =
      std::ranges::find_if(kOfTwo, [&](const auto& known) { return known.first == o[5].value; });
  if (two != kOfTwo.end()) {
    emit_main("{}.b32 {}, {}, {}", two->second, to, a, b);
  } else {
    emit_main("lop3.b32 {}, {}, {}, {}, 0x{:x}", to, a, b, c, o[5].value);
  }
  set_predicate(o[0], to);
  return true;
}

// PLOP3: two predicates, three sources, their tables. P2R: d, PR, a, mask
bool Translator::predicate_logic(Operands o) {
  if (i_->name == "P2R") {
    const auto mask = static_cast<std::uint32_t>(o[3].value);
    const std::string kept = source(o[2]);
    const std::string bits = word();
    emit("and.b32 {}, {}, {}", bits, kept, literal(static_cast<std::int32_t>(~mask)));
    for (unsigned p = 0; p < kTruePredicate; ++p) {
      if ((mask >> p & 1U) != 0) {
        const std::string bit = word();
        emit("selp.b32 {}, {}, 0, %P{}", bit, literal(std::int64_t{1} << p), p);
        emit("or.b32 {}, {}, {}", bits, bits, bit);
      }
    }
    emit_main("mov.b32 {}, {}", destination(o[0]), bits);
    return true;
  }
  const std::string x = selected(o[2], "-1");
  const std::string y = selected(o[3], "-1");
  const std::string z = selected(o[4], "-1");
  const std::string first = word();
  const std::string second = word();
  emit("lop3.b32 {}, {}, {}, {}, 0x{:x}", first, x, y, z, o[5].value);
  mark();
  if (!is_constant_predicate(o[1])) {
    emit("lop3.b32 {}, {}, {}, {}, 0x{:x}", second, x, y, z, o[6].value);
  }
  set_predicate(o[0], first);
  set_predicate(o[1], second);
  return true;
}

// ISETP: two predicates, a, b, a predicate that is joined, the comparison of the low words
bool Translator::compare(Operands o) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 6> kComparisons = {
      {{".LT", "lt"}, {".EQ", "eq"}, {".LE", "le"}, {".GT", "gt"}, {".NE", "ne"}, {".GE", "ge"}}};
  const auto* const comparison =
      std::ranges::find_if(kComparisons, [&](const auto& c) { return i_->has(c.first); });
  if (comparison == kComparisons.end()) {
    return false;
  }
  const std::string compared = comparison->second;
  const char* const type = i_->has(".U32") ? "u32" : "s32";
  const char* const join = i_->has(".AND") ? "and" : i_->has(".OR") ? "or" : "xor";
  const std::string a = source(o[2]);
  const std::string b = source(o[3]);
  const bool is_neutral = i_->has(".AND") ? is_always(o[4]) : is_never(o[4]);
  std::string joined = is_neutral ? "" : is_constant_predicate(o[4]) ? "?" : condition(o[4]);
  if (joined == "?") {
    return false;
  }
  if (i_->has(".EX")) {
    // Equal high words leave it to the low ones.
    const char* const strictly = compared == "ge" || compared == "gt" ? "gt"
                                 : compared == "eq"                   ? "eq"
                                 : compared == "ne"                   ? "ne"
                                                                      : "lt";
    const std::string low = selected(o[5], "-1");
    emit("setp.{}.{} %c0, {}, {}", strictly, type, a, b);
    emit("setp.eq.u32 %c1, {}, {}", a, b);
    const std::string decided = word();
    const std::string equal = word();
    emit("selp.b32 {}, -1, 0, %c0", decided);
    emit("selp.b32 {}, -1, 0, %c1", equal);
    // eq: equal and low; ne: decided or low; otherwise decided, or equal and low.
    emit("lop3.b32 {}, {}, {}, {}, 0x{:x}", decided, decided, equal, low,
         compared == "eq"   ? 0x88
         : compared == "ne" ? 0xfa
                            : 0xf8);
    if (joined.empty()) {
      emit_main("setp.ne.u32 {}, {}, 0", predicate_destination(o[0]), decided);
    } else {
      emit_main("setp.ne.{}.u32 {}, {}, 0, {}", join, predicate_destination(o[0]), decided, joined);
    }
    return is_constant_predicate(o[1]);
  }
  const std::string to = is_constant_predicate(o[1])
                             ? predicate_destination(o[0])
                             : predicate_destination(o[0]) + "|" + predicate_name(o[1]);
  if (joined.empty()) {
    emit_main("setp.{}.{} {}, {}, {}", compared, type, to, a, b);
  } else {
    emit_main("setp.{}.{}.{} {}, {}, {}, {}", compared, join, type, to, a, b, joined);
  }
  return true;
}

// VIMNMX: d, two predicates, a, b, whether the minimum. VIADDMNMX: d, a, b, c, whether the minimum
bool Translator::minimum(Operands o) {
  const SassOperand& which = o.back();
  if (!is_constant_predicate(which)) {
    return false;
  }
  const char* const type = i_->has(".U32") ? "u32" : "s32";
  const char* const operation = which.negated ? "max" : "min";
  std::string a;
  if (i_->name == "VIADDMNMX") {
    const std::string first = source(o[1]);
    const std::string second = source(o[2]);
    a = word();
    emit("add.u32 {}, {}, {}", a, first, second);
  } else {
    a = source(o[o.size() - 3]);
  }
  const std::string b = source(o[o.size() - 2]);
  emit_main("{}.{} {}, {}, {}", operation, type, destination(o[0]), a, b);
  return true;
}

bool Translator::permute(Operands o) {
  const std::string a = source(o[1]);
  const std::string selector = source(o[2]);
  const std::string b = source(o[3]);
  emit_main("prmt.b32 {}, {}, {}, {}", destination(o[0]), a, b, selector);
  return true;
}

bool Translator::select(Operands o) {
  if (words_accessed() == 2 && !is_constant_predicate(o[3])) {
    for (unsigned part = 0; part < 2; ++part) {
      const std::string a = plain_source(o[1], part);
      const std::string b = plain_source(o[2], part);
      emit_main("selp.b32 {}, {}, {}, {}", destination(o[0], part), o[3].negated ? b : a,
                o[3].negated ? a : b, predicate_name(o[3]));
    }
    return true;
  }
  const std::string a = source(o[1]);
  const std::string b = source(o[2]);
  if (is_constant_predicate(o[3])) {
    emit_main("mov.b32 {}, {}", destination(o[0]), o[3].negated ? b : a);
  } else {
    emit_main("selp.b32 {}, {}, {}, {}", destination(o[0]), o[3].negated ? b : a,
              o[3].negated ? a : b, predicate_name(o[3]));
  }
  return true;
}

// MOV, S2R, CS2R, LDC, R2UR
bool Translator::move(Operands o) {
  static constexpr std::array<std::pair<std::int64_t, const char*>, 9> kSpecial = {
      {{0x00, "%laneid"},
       {0x21, "%tid.x"},
       {0x22, "%tid.y"},
       {0x23, "%tid.z"},
       {0x25, "%ctaid.x"},
       {0x26, "%ctaid.y"},
       {0x27, "%ctaid.z"},
       {0x88, "0"},  // of one block in its cluster
       {0xff, "0"}}};
  const SassOperand& from = o.back();
  const bool is_pair = i_->name == "CS2R" && !i_->has(".32");
  const unsigned count = is_pair ? 2 : words_accessed();
  if (i_->has(".U8") || i_->has(".S8") || i_->has(".U16") || i_->has(".S16")) {
    return false;
  }
  for (unsigned part = 0; part < count; ++part) {
    std::string value;
    if (from.kind == Kind::Special) {
      const auto* const special = std::ranges::find_if(
          kSpecial, [&](const auto& known) { return known.first == from.value; });
      value = special == kSpecial.end() ? "" : special->second;
    } else {
      value = plain_source(from, part);
    }
    if (value.empty() || from.negated) {
      return false;
    }
    emit_main("mov.b32 {}, {}", destination(o[0], part), value);
  }
  return true;
}

// I2F, F2I, IABS
bool Translator::convert(Operands o) {
  const std::string a = source(o[1]);
  if (i_->name == "IABS") {
    emit_main("abs.s32 {}, {}", destination(o[0]), a);
  } else if (i_->name == "I2F") {
    emit_main("cvt.rp.f32.s32 {}, {}", destination(o[0]), a);
  } else {
    emit_main("cvt.rzi.ftz.u32.f32 {}, {}", destination(o[0]), a);
  }
  return true;
}

std::string Translator::near_address(const SassOperand& o) {
  SassOperand base;
  base.index = o.index;
  SassOperand uniform;
  uniform.kind = Kind::Uniform;
  uniform.index = o.uniform;
  const bool has_uniform = o.has_uniform && o.uniform != kZeroUniform;
  if (o.scale > 0) {
    const std::string scaled = word();
    emit("shl.b32 {}, {}, {}", scaled, plain_source(base), o.scale + 1);
    if (has_uniform) {
      emit("add.u32 {0}, {0}, {1}", scaled, plain_source(uniform));
    }
    return fmt::format("[{}+{}]", scaled, o.value);
  }
  if (has_uniform && is_zero(base)) {
    return fmt::format("[{}+{}]", plain_source(uniform), o.value);
  }
  if (has_uniform) {
    const std::string both = word();
    emit("add.u32 {}, {}, {}", both, plain_source(base), plain_source(uniform));
    return fmt::format("[{}+{}]", both, o.value);
  }
  return is_zero(base) ? fmt::format("[{}]", o.value)
                       : fmt::format("[{}+{}]", plain_source(base), o.value);
}

std::string Translator::far_address(const SassOperand& o) {
  SassOperand base;
  base.index = o.index;
  return fmt::format("[{}+{}]", pair_source(base), o.value);
}

// The type of an access with its vector.
std::string Translator::width() {
  for (const auto& [modifier, type] :
       {std::pair{".U8", "u8"}, {".S8", "s8"}, {".U16", "u16"}, {".S16", "s16"}}) {
    if (i_->has(modifier)) {
      return type;
    }
  }
  const unsigned words = words_accessed();
  return words == 1 ? "b32" : fmt::format("v{}.b32", words);
}

std::string Translator::vector_of(const SassOperand& o, unsigned count, bool writes) {
  std::string text;
  for (unsigned part = 0; part < count; ++part) {
    text += (part == 0 ? "" : ", ") + (writes ? destination(o, part) : plain_source(o, part));
  }
  return count == 1 ? text : "{" + text + "}";
}

// Loads and stores of global, shared and local memory, and atomic sums.
bool Translator::access(Operands o) {
  const std::string_view name = i_->name;
  const bool is_global = name == "LDG" || name == "STG" || name == "ATOMG";
  const char* const space = is_global                        ? "global"
                            : name == "LDS" || name == "STS" ? "shared"
                                                             : "local";
  const auto* const address =
      std::ranges::find_if(o, [](const auto& a) { return a.kind == Kind::Address; }).base();
  const std::string at = is_global ? far_address(*address) : near_address(*address);
  if (name == "ATOMG") {
    if (!i_->has(".GPU") || !is_always(o[0])) {
      return false;
    }
    const std::string value = source(o[3]);
    emit_main("atom.relaxed.gpu.global.add.u32 {}, {}, {}", destination(o[1]), at, value);
    return true;
  }
  const char* const order = i_->has(".STRONG") ? ".relaxed.gpu" : "";
  if (i_->has(".SM") || i_->has(".SYS")) {
    return false;
  }
  if (name.starts_with("LD")) {
    const char* const cached = i_->has(".CONSTANT") ? ".nc" : "";
    emit_main("ld{}.{}{}.{} {}, {}", order, space, cached, width(),
              vector_of(o[0], words_accessed(), true), at);
  } else {
    emit_main("st{}.{}.{} {}, {}", order, space, width(), at,
              vector_of(o.back(), words_accessed(), false));
  }
  return true;
}

// LDGSTS: to, from, whether the bytes are read (otherwise zeros are written)
bool Translator::copy_async(Operands o) {
  const unsigned bytes = 4 * words_accessed();
  const std::string to = near_address(o[0]);
  const std::string from = far_address(o[1]);
  const char* const cached = i_->has(".BYPASS") ? "cg" : "ca";
  if (is_always(o[2])) {
    emit_main("cp.async.{}.shared.global {}, {}, {}", cached, to, from, bytes);
    return true;
  }
  const std::string read = selected(o[2], bytes == 16 ? "16" : bytes == 8 ? "8" : "4");
  emit_main("cp.async.{}.shared.global {}, {}, {}, {}", cached, to, from, bytes, read);
  return true;
}

bool Translator::control(Operands o) {
  const std::string_view name = i_->name;
  if (name == "CALL") {  // .REL.NOINC: a jump
    emit_main("bra L_{:x}", o[0].value);
  } else if (name == "BRA") {
    if (is_never(o[0]) || i_->has(".ANY")) {
      return false;
    }
    if (!is_always(o[0])) {
      const std::string guard =
          guard_.empty() ? condition(o[0]) : guard_.substr(1, guard_.size() - 2);
      guard_.clear();
      emit("and.pred %c0, {}, {}", guard, condition(o[0]));
      guard_ = "@%c0 ";
    }
    emit_main("bra L_{:x}", o[1].value);
  } else if (name == "EXIT") {
    if (!is_always(o[0])) {
      return false;
    }
    emit_main("exit");
  } else if (name == "VOTEU") {
    if (!i_->has(".ALL")) {
      return false;
    }
    const std::string lanes = word();
    emit("activemask.b32 {}", lanes);
    emit_main("vote.sync.all.pred {}, {}, {}", predicate_destination(o[1]), condition(o[2]), lanes);
  } else if (name == "BAR") {
    emit_main("bar.sync {}", o[0].value);
  } else if (name == "LDGDEPBAR") {
    emit_main("cp.async.commit_group");
  } else if (name == "DEPBAR") {
    emit_main("cp.async.wait_group {}", o[1].value);
  } else if (name == "MEMBAR") {
    emit_main("membar.{}", i_->has(".CTA") ? "cta" : i_->has(".GPU") ? "gl" : "sys");
  } else {
    // Convergence is where paths meet; caches and errors of memory are not simulated.
    emit_main("pmevent 0");
  }
  return true;
}

bool Translator::product_of_matrices(Operands o) {
  const std::string a = vector_of(o[1], 4, false);
  const std::string b = vector_of(o[2], 2, false);
  std::string c = vector_of(o[3], 4, false);
  if (is_zero(o[3])) {  // mma has no immediates
    const std::string zero = word();
    emit("mov.b32 {}, 0", zero);
    c = fmt::format("{{{0}, {0}, {0}, {0}}}", zero);
  }
  emit_main("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {}, {}, {}, {}",
            vector_of(o[0], 4, true), a, b, c);
  return true;
}

bool Translator::translate() {
  using Method = bool (Translator::*)(Operands);
  static constexpr std::pair<std::string_view, Method> kMethods[] = {
      {"FFMA", &Translator::float_arithmetic},
      {"FADD", &Translator::float_arithmetic},
      {"FMUL", &Translator::float_arithmetic},
      {"HFMA2", &Translator::float_arithmetic},
      {"MUFU", &Translator::float_arithmetic},
      {"IADD3", &Translator::sum},
      {"UIADD3", &Translator::sum},
      {"VIADD", &Translator::sum},
      {"IADD", &Translator::sum},
      {"IMAD", &Translator::multiply_add},
      {"UIMAD", &Translator::multiply_add},
      {"LEA", &Translator::shifted_sum},
      {"ULEA", &Translator::shifted_sum},
      {"SHF", &Translator::shift},
      {"USHF", &Translator::shift},
      {"LOP3", &Translator::logic},
      {"ULOP3", &Translator::logic},
      {"PLOP3", &Translator::predicate_logic},
      {"P2R", &Translator::predicate_logic},
      {"ISETP", &Translator::compare},
      {"UISETP", &Translator::compare},
      {"VIMNMX", &Translator::minimum},
      {"VIADDMNMX", &Translator::minimum},
      {"IMNMX", &Translator::minimum},
      {"UVIMNMX", &Translator::minimum},
      {"PRMT", &Translator::permute},
      {"SEL", &Translator::select},
      {"USEL", &Translator::select},
      {"MOV", &Translator::move},
      {"UMOV", &Translator::move},
      {"S2R", &Translator::move},
      {"S2UR", &Translator::move},
      {"CS2R", &Translator::move},
      {"LDC", &Translator::move},
      {"ULDC", &Translator::move},
      {"LDCU", &Translator::move},
      {"R2UR", &Translator::move},
      {"IABS", &Translator::convert},
      {"I2F", &Translator::convert},
      {"F2I", &Translator::convert},
      {"LDG", &Translator::access},
      {"STG", &Translator::access},
      {"LDS", &Translator::access},
      {"STS", &Translator::access},
      {"LDL", &Translator::access},
      {"STL", &Translator::access},
      {"ATOMG", &Translator::access},
      {"LDGSTS", &Translator::copy_async},
      {"HMMA", &Translator::product_of_matrices},
      {"BRA", &Translator::control},
      {"CALL", &Translator::control},
      {"EXIT", &Translator::control},
      {"VOTEU", &Translator::control},
      {"BAR", &Translator::control},
      {"LDGDEPBAR", &Translator::control},
      {"DEPBAR", &Translator::control},
      {"MEMBAR", &Translator::control},
      {"BSSY", &Translator::control},
      {"BSYNC", &Translator::control},
      {"WARPSYNC", &Translator::control},
      {"YIELD", &Translator::control},
      {"NOP", &Translator::control},
      {"ERRBAR", &Translator::control},
      {"CGAERRBAR", &Translator::control},
      {"CCTL", &Translator::control},
  };
  const auto* const method =
      std::ranges::find_if(kMethods, [&](const auto& m) { return m.first == i_->name; });
  return method != std::end(kMethods) && (this->*method->second)(i_->operands) && is_marked_;
}

void Translator::write_line() {
  const std::uint32_t line = index_ < kernel_.lines.size() ? kernel_.lines[index_] : 0;
  if (line != line_) {
    body_ += fmt::format("\t.loc 1 {} 0\n", line);
    line_ = line;
  }
}

std::string Translator::declarations() const {
  std::string text = fmt::format(
      "\t.reg .pred %P<7>;\n\t.reg .pred %UP<7>;\n\t.reg .pred %c<8>;\n\t.reg .pred %never;\n"
      "\t.reg .b32 %R<{}>;\n\t.reg .b32 %UR<{}>;\n\t.reg .b32 %t<{}>;\n\t.reg .b64 %d<{}>;\n",
      registers_, uniforms_, most_words_, most_pairs_);
  for (const MemoryVariable& variable : fast_.variables) {
    if (variable.space == Space::Shared && variable.function == entry_ && !variable.is_extern) {
      text += fmt::format("\t.shared .align {} .b8 {}[{}];\n", variable.align, variable.symbol,
                          variable.bytes);
    }
  }
  return text;
}

// Paths meet where machine code says so: after the BSYNC of the innermost BSSY around a branch;
// each path executes the BSYNC. Without one they go on separately until they exit.
void Translator::set_meeting_places(Function& function,
                                    const std::vector<SassInstruction>& decoded) const {
  struct Region {
    std::int64_t first;
    std::int64_t end;  // offset of the instruction after BSYNC
  };
  std::vector<Region> regions;  // a later one is the inner one
  for (const SassInstruction& instruction : decoded) {
    if (instruction.name == "BSSY") {
      regions.push_back({instruction.offset, instruction.operands[1].value});
    }
  }
  std::map<std::int64_t, std::uint32_t> first_pcs;  // by offset
  std::uint32_t owner = 0;
  std::vector<std::int64_t> offsets(represented_.size());
  for (std::uint32_t pc = static_cast<std::uint32_t>(represented_.size()); pc-- > 0;) {
    owner = represented_[pc] == kNoPc ? owner : represented_[pc];
    offsets[pc] = decoded[std::min<std::size_t>(owner, decoded.size() - 1)].offset;
    first_pcs[offsets[pc]] = pc;
  }
  for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
    if (function.instructions[pc].op != Opcode::Bra) {
      continue;
    }
    std::uint32_t meeting = kNoPc;
    for (const Region& region : regions) {
      if (region.first < offsets[pc] && offsets[pc] < region.end) {
        meeting = first_pcs.contains(region.end) ? first_pcs[region.end] : kNoPc;
      }
    }
    function.instructions[pc].reconverge = meeting;
  }
}

Result<Module> Translator::module() {
  auto decoded = decode_sass(kernel_.code, kernel_.architecture);
  TILESTEP_RETURN_IF_ERROR(decoded);
  while (!decoded->empty() && is_filling(decoded->back())) {
    decoded->pop_back();
  }
  std::set<std::int64_t> targets;
  bool uses_never = false;
  for (const SassInstruction& instruction : *decoded) {
    if (instruction.name == "BRA" || instruction.name == "CALL") {
      targets.insert(instruction.operands.back().value);
    }
  }
  for (index_ = 0; index_ < decoded->size(); ++index_) {
    i_ = &(*decoded)[index_];
    write_line();
    if (targets.contains(i_->offset)) {
      body_ += fmt::format("L_{:x}:\n", i_->offset);
    }
    guard_.clear();
    if (i_->guard != kTruePredicate) {
      guard_ = fmt::format("@{}%{}{} ", i_->guard_is_negated ? "!" : "",
                           i_->guard_is_uniform ? "UP" : "P", i_->guard);
    } else if (i_->guard_is_negated) {
      guard_ = "@%never ";
      uses_never = true;
    }
    if (!guard_.empty() && i_->guard == kTruePredicate && i_->name == "LDS") {
      ++padding_;
      continue;
    }
    is_marked_ = false;
    words_ = 0;
    pairs_ = 0;
    if (!translate()) {
      return fail(tr("The instruction {} at 0x{:x} of the machine code is not simulated.",
                     i_->text(), i_->offset));
    }
    most_words_ = std::max(most_words_, words_);
    most_pairs_ = std::max(most_pairs_, pairs_);
  }
  std::string text = fmt::format(".version {}\n.target {}\n.address_size 64\n",
                                 fast_.version.empty() ? "9.0" : fast_.version,
                                 fmt::format("sm_{}", kernel_.architecture));
  for (const MemoryVariable& variable : fast_.variables) {
    if (variable.space == Space::Shared && variable.is_extern) {
      text += fmt::format(".extern .shared .align {} .b8 {}[];\n", variable.align, variable.symbol);
    }
  }
  text += fmt::format(".visible .entry {}(\n", function_.symbol);
  for (std::size_t k = 0; k < function_.params.size(); ++k) {
    const Param& param = function_.params[k];
    const bool is_bytes = param.bytes != byte_size(param.type);
    text += is_bytes ? fmt::format("\t.param .align {} .b8 {}[{}]", param.align, param.symbol,
                                   param.bytes)
                     : fmt::format("\t.param .b{} {}", 8 * param.bytes, param.symbol);
    text += k + 1 < function_.params.size() ? ",\n" : "\n";
  }
  text += ")\n{\n" + declarations();
  std::uint32_t first = 0;
  if (uses_never) {
    text += "\tsetp.ne.u32 %never, 0, 0;\n";
    ++first;
  }
  for (const MemoryVariable& variable : fast_.variables) {
    if (variable.space == Space::Shared && variable.is_extern) {
      text += fmt::format("\tmov.u32 %t0, {};\n", variable.symbol);  // it belongs to the kernel
      ++first;
    }
  }
  represented_.insert(represented_.begin(), first, kNoPc);
  text += body_ + "}\n.file 1 \"" + (fast_.files.size() > 1 ? fast_.files[1] : "") + "\"\n";
  Result<Module> module = parse(std::move(text));
  if (!module) {
    return module;
  }
  Function& function = module->functions.front();
  assert(function.instructions.size() - represented_.size() <= 1 && "parse() adds a return only");
  represented_.resize(function.instructions.size(), kNoPc);
  for (const Instruction& instruction : function.instructions) {
    if (instruction.op == Opcode::Unknown) {
      return fail(tr("An instruction of the machine code is not simulated: {}.",
                     std::string(instruction_text(*module, instruction))));
    }
  }
  function.name = function_.name;
  set_meeting_places(function, *decoded);
  function.machine_code = std::move(represented_);
  for (const auto& [pc, count] : padded_) {
    function.padding.emplace(pc + first, count);
  }
  function.local_bytes = kernel_.local_bytes;
  module->is_machine_code = true;
  module->spare_shared_bytes = kSpareSharedBytes;
  module->types = fast_.types;
  for (MemoryVariable& variable : module->variables) {
    for (const MemoryVariable& known : fast_.variables) {
      if (known.symbol == variable.symbol) {
        variable.name = known.name;
        variable.type = known.type;
      }
    }
  }
  for (std::size_t k = 0; k < function.params.size(); ++k) {
    function.params[k].type = function_.params[k].type;
  }
  return module;
}

}  // namespace

Result<Module> translate_sass(const CubinKernel& kernel, const Module& fast, std::uint32_t entry) {
  if (kernel.architecture < kConstantBanks.back().architecture) {
    return fail(tr("Machine code is simulated from compute capability 8.0 on, not for {}.{}.",
                   kernel.architecture / 10, kernel.architecture % 10));
  }
  return Translator(kernel, fast, entry).module();
}

}  // namespace tilestep::ptx
