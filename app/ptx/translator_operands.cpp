#include "ptx/translator.h"

#include <cstring>

namespace tilestep::ptx {

using Kind = SassOperand::Kind;

// A word of the launch's constants.
std::string Translator::launch_constant(std::int64_t offset) {
  const std::string to = word();
  if (offset >= bank_.parameters) {
    for (const Param& param : function_.params) {
      const std::int64_t at = offset - bank_.parameters - param.offset;
      if (at >= 0 && at < param.bytes) {
        emit("ld.param.b32 {}, [{}+{}]", to, param.symbol, at);
        return to;
      }
    }
    return refused();
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
  return offset == bank_.descriptor || offset == bank_.descriptor + 4 ? literal(0) : refused();
}

// A word of the compiler's constants.
std::string Translator::own_constant(std::size_t offset) {
  if (offset + 4 > kernel_.constants.size()) {
    return refused();
  }
  std::int32_t value = 0;
  std::memcpy(&value, &kernel_.constants[offset], 4);
  return literal(value);
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
    case Kind::Float:
    case Kind::Halves:
      return literal(o.value);
    case Kind::Constant:
      if (o.index == kZeroRegister && o.bank == 0) {
        return launch_constant(o.value + 4 * part);
      }
      return o.index == kZeroRegister && o.bank == 2
                 ? own_constant(static_cast<std::size_t>(o.value) + 4 * part)
                 : refused();
    default:
      return refused();
  }
}

std::string Translator::special_source(const SassOperand& o) {
  const SassSpecial* const special = find_sass_special(o.value);
  return special == nullptr ? refused() : special->ptx;
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

void Translator::set_predicates(const SassOperand& p, const std::string& from_p,
                                const SassOperand& q, const std::string& from_q) {
  const bool is_guard = i_->guard != kTruePredicate && p.index == i_->guard;
  set_predicate(is_guard ? q : p, is_guard ? from_q : from_p);
  set_predicate(is_guard ? p : q, is_guard ? from_p : from_q);
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
  if (!has_second) {
    carry_2 = "0";
  }
  static constexpr SassOperand kTrue{.kind = Kind::Predicate, .index = kTruePredicate};
  set_predicates(carries.out != nullptr ? *carries.out : kTrue, carry,
                 carries.out_2 != nullptr ? *carries.out_2 : kTrue, carry_2);
}

}  // namespace tilestep::ptx
