#include "ptx/translator.h"

namespace tilestep::ptx {

using Kind = SassOperand::Kind;
using Operands = std::span<const SassOperand>;

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
  if (name == "MUFU") {
    static constexpr std::array<std::pair<std::string_view, const char*>, 4> kFunctions = {
        {{".RCP", "rcp"}, {".RSQ", "rsqrt"}, {".EX2", "ex2"}, {".LG2", "lg2"}}};
    const auto* const function =
        std::ranges::find_if(kFunctions, [&](const auto& f) { return i_->has(f.first); });
    if (function == kFunctions.end()) {
      return false;
    }
    const std::string a = source(o[1], Minus::Float);
    emit_main("{}.approx.ftz.f32 {}, {}", function->second, destination(o[0]), a);
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
    static constexpr SassOperand kOne{.kind = Kind::Predicate, .index = kTruePredicate};
    const std::string first = source(*order[0]);
    const std::string second = source(*order[1]);
    const std::string inverted = source(*order[2], Minus::Inverts);
    add(o[0], first, inverted, second, {&kOne, nullptr, &o[1], &o[2]});
    return true;
  }
  const Minus minus = extends ? Minus::Inverts : Minus::Integer;
  const std::string a = source(o[3], minus);
  const std::string b = source(o[4], minus);
  const std::string c = source(o[5], minus);
  if (!extends && !has_out) {
    if (c == literal(0)) {
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

}  // namespace tilestep::ptx
