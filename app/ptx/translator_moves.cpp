#include "ptx/translator.h"

namespace tilestep::ptx {

using Kind = SassOperand::Kind;
using Operands = std::span<const SassOperand>;

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
  set_predicates(o[0], first, o[1], second);
  return true;
}

// ISETP: two predicates, a, b, a predicate that is joined, the comparison of the low words. FSETP:
// the same without the last one.
bool Translator::compare(Operands o) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 14> kComparisons = {
      {{".LT", "lt"},
       {".EQ", "eq"},
       {".LE", "le"},
       {".GT", "gt"},
       {".NE", "ne"},
       {".GE", "ge"},
       {".LTU", "ltu"},
       {".EQU", "equ"},
       {".LEU", "leu"},
       {".GTU", "gtu"},
       {".NEU", "neu"},
       {".GEU", "geu"},
       {".NUM", "num"},
       {".NAN", "nan"}}};
  const auto* const comparison =
      std::ranges::find_if(kComparisons, [&](const auto& c) { return i_->has(c.first); });
  if (comparison == kComparisons.end()) {
    return false;
  }
  const std::string_view compared = comparison->second;
  const bool is_float = i_->name == "FSETP";
  const Minus minus = is_float ? Minus::Float : Minus::Integer;
  const char* const type = is_float ? "f32" : i_->has(".U32") ? "u32" : "s32";
  const char* const join = i_->has(".AND") ? "and" : i_->has(".OR") ? "or" : "xor";
  const std::string a = source(o[2], minus);
  const std::string b = source(o[3], minus);
  const bool is_neutral = i_->has(".AND") ? is_always(o[4]) : is_never(o[4]);
  if (is_constant_predicate(o[4]) && !is_neutral) {
    return false;
  }
  const std::string joining = is_neutral ? "" : std::string(".") + join;
  const std::string joined = is_neutral ? "" : ", " + condition(o[4]);
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
    emit_main("setp.ne{}.u32 {}, {}, 0{}", joining, predicate_destination(o[0]), decided, joined);
    return is_constant_predicate(o[1]);
  }
  const std::string to = is_constant_predicate(o[1])
                             ? predicate_destination(o[0])
                             : predicate_destination(o[0]) + "|" + predicate_name(o[1]);
  emit_main("setp.{}{}{}.{} {}, {}, {}{}", compared, joining, i_->has(".FTZ") ? ".ftz" : "", type,
            to, a, b, joined);
  return true;
}

// VIMNMX: d, two predicates, a, b, whether the minimum. VIADDMNMX: d, a, b, c, whether the minimum.
// FMNMX: d, a, b, whether the minimum
bool Translator::minimum(Operands o) {
  const SassOperand& which = o.back();
  if (!is_constant_predicate(which)) {
    return false;
  }
  const bool is_float = i_->name == "FMNMX";
  const Minus minus = is_float ? Minus::Float : Minus::Integer;
  const char* const type = is_float          ? (i_->has(".FTZ") ? "ftz.f32" : "f32")
                           : i_->has(".U32") ? "u32"
                                             : "s32";
  const char* const operation = which.negated ? "max" : "min";
  std::string a;
  if (i_->name == "VIADDMNMX") {
    const std::string first = source(o[1]);
    const std::string second = source(o[2]);
    a = word();
    emit("add.u32 {}, {}, {}", a, first, second);
  } else {
    a = source(o[o.size() - 3], minus);
  }
  const std::string b = source(o[o.size() - 2], minus);
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
  if (i_->name == "FSEL" && (o[1].negated || o[1].absolute || o[2].negated || o[2].absolute)) {
    return false;
  }
  for (unsigned part = 0; part < words_accessed(); ++part) {
    const std::string when_true = plain_source(o[o[3].negated ? 2 : 1], part);
    const std::string when_false = plain_source(o[o[3].negated ? 1 : 2], part);
    if (is_constant_predicate(o[3])) {
      emit_main("mov.b32 {}, {}", destination(o[0], part), when_true);
    } else {
      emit_main("selp.b32 {}, {}, {}, {}", destination(o[0], part), when_true, when_false,
                predicate_name(o[3]));
    }
  }
  return true;
}

// MOV, S2R, CS2R, LDC, R2UR
bool Translator::move(Operands o) {
  const SassOperand& from = o.back();
  const bool is_pair = i_->name == "CS2R" && !i_->has(".32");
  const unsigned count = is_pair ? 2 : words_accessed();
  if (i_->has(".U8") || i_->has(".S8") || i_->has(".U16") || i_->has(".S16") || from.negated) {
    return false;
  }
  constexpr std::int64_t kClockLow = 0x50;
  for (unsigned part = 0; part < count; ++part) {
    SassOperand half = from;
    half.value += from.kind == Kind::Special && from.value == kClockLow ? part : 0;
    const std::string value =
        from.kind == Kind::Special ? special_source(half) : plain_source(from, part);
    emit_main("mov.b32 {}, {}", destination(o[0], part), value);
  }
  return true;
}

// I2F, F2I, I2FP, IABS, POPC, BREV
bool Translator::convert(Operands o) {
  const std::string a = source(o[1], i_->name == "F2I" ? Minus::Float : Minus::Integer);
  if (i_->name == "IABS") {
    emit_main("abs.s32 {}, {}", destination(o[0]), a);
  } else if (i_->name == "POPC" || i_->name == "BREV") {
    emit_main("{}.b32 {}, {}", i_->name == "POPC" ? "popc" : "brev", destination(o[0]), a);
  } else if (i_->name == "I2FP") {
    emit_main("cvt.rn.f32.{} {}, {}", i_->has(".U32") ? "u32" : "s32", destination(o[0]), a);
  } else if (i_->name == "I2F") {
    emit_main("cvt.rp.f32.s32 {}, {}", destination(o[0]), a);
  } else {
    emit_main("cvt.{}{}.{}.f32 {}, {}",
              i_->has(".TRUNC")   ? "rzi"
              : i_->has(".FLOOR") ? "rmi"
              : i_->has(".CEIL")  ? "rpi"
                                  : "rni",
              i_->has(".FTZ") ? ".ftz" : "", i_->has(".U32") ? "u32" : "s32", destination(o[0]), a);
  }
  return true;
}

// SHFL: whether the lane is in range, d, a, the lane, the mask with the last lane
bool Translator::shuffle(Operands o) {
  const char* const mode = i_->has(".UP")     ? "up"
                           : i_->has(".DOWN") ? "down"
                           : i_->has(".BFLY") ? "bfly"
                                              : "idx";
  const std::string a = source(o[2]);
  const std::string lane = source(o[3]);
  const std::string limits = source(o[4]);
  const std::string lanes = word();
  emit("activemask.b32 {}", lanes);
  emit_main("shfl.sync.{}.b32 {}|{}, {}, {}, {}, {}", mode, destination(o[1]),
            predicate_destination(o[0]), a, lane, limits, lanes);
  return true;
}

std::string Translator::near_address(const SassOperand& o) {
  SassOperand base;
  base.index = o.index;
  SassOperand uniform;
  uniform.kind = Kind::Uniform;
  uniform.index = o.uniform;
  std::string sum = is_zero(base) ? "" : plain_source(base);
  if (o.scale > 0) {
    const std::string scaled = word();
    emit("shl.b32 {}, {}, {}", scaled, sum, o.scale + 1);
    sum = scaled;
  }
  if (o.has_uniform && !is_zero(uniform)) {
    const std::string both = word();
    if (!sum.empty()) {
      emit("add.u32 {}, {}, {}", both, sum, plain_source(uniform));
    }
    sum = sum.empty() ? plain_source(uniform) : both;
  }
  return sum.empty() ? fmt::format("[{}]", o.value) : fmt::format("[{}+{}]", sum, o.value);
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
  const bool is_global = name == "LDG" || name == "STG" || name == "ATOMG" || name == "REDG";
  const char* const space = is_global                                           ? "global"
                            : name == "LDS" || name == "STS" || name == "ATOMS" ? "shared"
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
  if (name == "ATOMS") {  // .POPC.INC: each lane adds 1
    if (!is_zero(o[0])) {
      return false;
    }
    emit_main("red.shared.add.u32 {}, 1", at);
    return true;
  }
  if (name == "REDG") {
    if (!i_->has(".GPU") || !i_->has(".ADD") || i_->has(".F64")) {
      return false;
    }
    emit_main("red.relaxed.gpu.global.add.{} {}, {}", i_->has(".F32") ? "f32" : "u32", at,
              source(o[1]));
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
    if (is_never(o[0]) || i_->has(".ANY") || i_->has(".DIV")) {
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
  } else if (name == "VOTE") {  // .ANY: the lanes where the predicate is true
    if (!is_constant_predicate(o[1])) {
      return false;
    }
    const std::string lanes = word();
    emit("activemask.b32 {}", lanes);
    if (is_always(o[2])) {
      emit_main("mov.b32 {}, {}", destination(o[0]), lanes);
    } else {
      emit_main("vote.sync.ballot.b32 {}, {}, {}", destination(o[0]), condition(o[2]), lanes);
    }
  } else if (name == "VOTEU") {
    if (!i_->has(".ALL") || is_constant_predicate(o[2])) {
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
  if (!i_->has(".1688") || !i_->has(".TF32")) {
    return false;
  }
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

}  // namespace tilestep::ptx
