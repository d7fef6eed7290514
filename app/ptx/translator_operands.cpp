#include "ptx/translator.h"

#include <cstring>

namespace tilestep::ptx {

using Kind = SassOperand::Kind;

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

}  // namespace tilestep::ptx
