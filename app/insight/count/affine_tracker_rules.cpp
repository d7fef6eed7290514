// How an instruction's result changes from block to block (PTX ISA 9.0, chapter 9). A rule may
// always return "not known".
#include "insight/count/affine_tracker.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace tilestep::insight {
namespace {

using ptx::Compare;
using ptx::Opcode;
using ptx::OperandKind;

constexpr Wide kFar = Wide{1} << 100;  // beyond any integer here
constexpr Wide kLargestWord = 0xffffffff;

bool is_integer(ptx::Type type) {
  return is_signed(type) || type == ptx::Type::U8 || type == ptx::Type::U16 ||
         type == ptx::Type::U32 || type == ptx::Type::U64 || type == ptx::Type::B8 ||
         type == ptx::Type::B16 || type == ptx::Type::B32 || type == ptx::Type::B64;
}

std::uint32_t bits_of(ptx::Type type) {
  return ptx::byte_size(type) * 8;
}

std::uint32_t bits_of(const ptx::Register& reg) {
  switch (reg.cls) {
    case ptx::RegisterClass::B16:
      return 16;
    case ptx::RegisterClass::B32:
      return 32;
    default:
      return 64;
  }
}

std::uint64_t low_bits(std::uint64_t value, std::uint32_t bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

// The lowest bit in which any two blocks may differ.
int lowest_changing_bit(const Form& form) {
  int lowest = 64;
  for (const std::int64_t factor : form.per_block) {
    lowest = std::min(lowest, std::countr_zero(static_cast<std::uint64_t>(factor)));
  }
  return lowest;
}

// How a - b changes; empty if that does not fit.
std::optional<Form> difference_of(const Form& a, const Form& b) {
  Form difference = kConstantForm;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const Wide factor = Wide{a.per_block[i]} - b.per_block[i];
    difference.per_block[i] = static_cast<std::int64_t>(factor);
    if (difference.per_block[i] != factor) {
      return std::nullopt;
    }
  }
  return difference;
}

}  // namespace

AffineTracker::Value AffineTracker::value(const Site& site, std::uint32_t n, std::size_t lane,
                                          std::uint32_t bits) const {
  const ptx::Operand& operand = site.source(n);
  Value v{form(site, operand, lane), std::nullopt};
  if (operand.kind == OperandKind::Register) {
    v.bits = low_bits(
        machine_.register_lane(site.info.id, operand.reg, static_cast<int>(lane), site.info.frame),
        bits);
  } else if (operand.kind == OperandKind::Immediate) {
    v.bits = low_bits(static_cast<std::uint64_t>(operand.value), bits);
  } else if (operand.kind == OperandKind::Special) {
    using S = ptx::SpecialRegister;
    const std::uint32_t block[] = {block_index_.x, block_index_.y, block_index_.z};
    const std::uint32_t coordinate = operand.index - static_cast<std::uint32_t>(S::CtaidX);
    if (coordinate < 3) {
      v.bits = block[coordinate];
    }
  }
  if (v.form.known) {
    for (std::int64_t& factor : v.form.per_block) {
      factor = wrap(static_cast<std::uint64_t>(factor), bits);
    }
  }
  return v;
}

bool AffineTracker::is_constant(const Value& value) const {
  return domain_.is_constant(value.form);
}

std::optional<Wide> AffineTracker::exact(const Value& value, std::uint32_t bits,
                                         bool is_signed_value) {
  if (!value.form.known || !value.bits) {
    return std::nullopt;
  }
  const Wide one = 1;
  const Wide number =
      is_signed_value ? Wide{wrap(*value.bits, bits)} : static_cast<Wide>(*value.bits);
  const Wide low = is_signed_value ? -(one << (bits - 1)) : 0;
  const Wide high = (is_signed_value ? one << (bits - 1) : one << bits) - 1;
  domain_.keep_within(number, value.form, low, high);
  return number;
}

bool AffineTracker::has_rule(const ptx::Instruction& instruction) {
  const bool is_plain =
      is_integer(instruction.type) && (instruction.flags & (ptx::kSat | ptx::kCarryOut)) == 0;
  return is_plain || instruction.op == Opcode::Setp || instruction.op == Opcode::Cvt ||
         instruction.op == Opcode::Cvta;
}

Form AffineTracker::result(const Site& site, std::size_t lane) {
  const ptx::Instruction& i = site.instruction;
  if (i.op == Opcode::Setp) {
    return compare(site, lane);
  }
  if (i.op == Opcode::Cvt) {
    return convert(site, lane);
  }
  if (i.op == Opcode::Cvta) {
    return form(site, site.source(0), lane);  // a generic address is the space's address plus a
                                              // base
  }
  const std::uint32_t bits = bits_of(i.type);
  const auto operand = [&](std::uint32_t n) { return form(site, site.source(n), lane); };
  switch (i.op) {
    case Opcode::Mov:
      return i.vector == 2 && bits == 64            ? packed(site, lane)
             : site.sources() == 1 && i.vector == 1 ? operand(0)
                                                    : Form{};
    case Opcode::Add:
      return add(operand(0), operand(1), bits);
    case Opcode::Sub:
      return subtract(operand(0), operand(1), bits);
    case Opcode::Neg:
    case Opcode::Not:  // -x - 1
      return subtract(kConstantForm, operand(0), bits);
    case Opcode::Mul:
    case Opcode::Mad:
      return multiply(site, lane);
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return bitwise(site, lane);
    case Opcode::Shl:
    case Opcode::Shr:
      return shift(site, lane);
    case Opcode::Div:
    case Opcode::Rem:
      return divide(site, lane);
    case Opcode::Min:
    case Opcode::Max:
    case Opcode::Selp:
      return choose(site, lane);
    default:
      return {};
  }
}

Form AffineTracker::packed(const Site& site, std::size_t lane) {
  const Value low = value(site, 0, lane, 32);
  const Form high = form(site, site.source(1), lane);
  if (!high.known || !exact(low, 32, false)) {
    return {};
  }
  return add(low.form, scale(high, std::uint64_t{1} << 32U, 64), 64);
}

void AffineTracker::unpack(const Site& site) {
  simt::for_each_lane(site.info.mask, [&](std::size_t lane) {
    const Value whole = value(site, 0, lane, 64);
    Form low;
    Form high;
    if (whole.form.known && whole.bits) {
      low.known = high.known = true;
      for (std::size_t i = 0; i < kAxes; ++i) {
        const std::int64_t step = whole.form.per_block[i];
        low.per_block[i] = wrap(static_cast<std::uint64_t>(step), 32);
        high.per_block[i] = (step - low.per_block[i]) >> 32U;
      }
      domain_.keep_within(static_cast<Wide>(low_bits(*whole.bits, 32)), low, 0, kLargestWord);
    }
    set(site, 0, low, 1U << lane);
    set(site, 1, high, 1U << lane);
  });
}

void AffineTracker::add_with_carry(const Site& site) {
  const ptx::Instruction& i = site.instruction;
  const bool adds_carry = i.op == Opcode::AddC;
  FormFrame& frame = site.registers;
  const std::uint32_t carries_in = adds_carry ? frame.carry_bits : 0;
  simt::for_each_lane(site.info.mask, [&](std::size_t lane) {
    const std::uint32_t bit = 1U << lane;
    const Value a = value(site, 0, lane, 32);
    const Value b = value(site, 1, lane, 32);
    const bool knows_carry = !adds_carry || frame.carry.at(lane).known;
    if (!a.form.known || !b.form.known || !knows_carry) {
      set(site, 0, {}, bit);
      frame.carry.set(bit, {});
      return;
    }
    const Form sum = add(a.form, b.form, 64);
    if ((i.flags & ptx::kCarryOut) != 0) {
      const std::optional<Wide> x = exact(a, 32, false);
      const std::optional<Wide> y = exact(b, 32, false);
      const Wide value = x && y ? *x + *y + (carries_in >> lane & 1U) : 0;
      const Wide carry = value > kLargestWord ? 1 : 0;
      if (x && y) {
        domain_.keep_within(value, sum, carry << 32U, (carry << 32U) + kLargestWord);
      }
      frame.carry.set(bit, x && y ? kConstantForm : Form{});
      frame.carry_bits = (frame.carry_bits & ~bit) | static_cast<std::uint32_t>(carry) << lane;
    }
    set(site, 0, add(sum, kConstantForm, 32), bit);
  });
}

Form AffineTracker::multiply(const Site& site, std::size_t lane) {
  const ptx::Instruction& i = site.instruction;
  const std::uint32_t bits = bits_of(i.type);
  const bool wide = i.mode == ptx::Mode::Wide;
  if (!wide && i.mode != ptx::Mode::Lo) {
    return {};
  }
  Value a = value(site, 0, lane, bits);
  Value b = value(site, 1, lane, bits);
  if (is_constant(a)) {
    std::swap(a, b);
  }
  if (!is_constant(b) || !a.form.known || !a.bits || !b.bits) {
    return {};
  }
  std::uint64_t factor = *b.bits;
  if (wide) {
    // The factors multiply as integers, so the first must not wrap.
    const std::optional<Wide> number = exact(a, bits, is_signed(i.type));
    factor = is_signed(i.type) ? static_cast<std::uint64_t>(wrap(factor, bits)) : factor;
    if (!number) {
      return {};
    }
  }
  const std::uint32_t result_bits = wide ? 2 * bits : bits;
  const Form product = scale(a.form, factor, result_bits);
  return i.op == Opcode::Mul ? product
                             : add(product, form(site, site.source(2), lane), result_bits);
}

// Bits below the lowest changing bit are the same in all blocks. The low bits are a remainder, the
// high bits the rest.
Form AffineTracker::bitwise(const Site& site, std::size_t lane) {
  const ptx::Instruction& i = site.instruction;
  const std::uint32_t bits = bits_of(i.type);
  Value a = value(site, 0, lane, bits);
  Value b = value(site, 1, lane, bits);
  if (is_constant(a)) {
    std::swap(a, b);
  }
  if (!is_constant(b) || !a.form.known || !a.bits || !b.bits) {
    return {};
  }
  const int fixed = lowest_changing_bit(a.form);
  const std::uint64_t below = fixed >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << fixed) - 1;
  const std::uint64_t changing = low_bits(~below, bits);
  if (i.op != Opcode::And) {
    return (*b.bits & changing) == 0 ? a.form : Form{};
  }
  if ((*b.bits & changing) == 0) {
    return kConstantForm;
  }
  if ((*b.bits & changing) == changing) {
    return a.form;
  }
  if (std::has_single_bit(*b.bits + 1)) {
    const std::optional<Division> parts = division(a, *b.bits + 1, bits, false);
    return parts ? parts->remainder : Form{};
  }
  if (const std::uint64_t others = low_bits(~*b.bits, bits); std::has_single_bit(others + 1)) {
    const std::optional<Division> parts = division(a, others + 1, bits, false);
    return parts ? subtract(a.form, parts->remainder, bits) : Form{};
  }
  return {};
}

Form AffineTracker::shift(const Site& site, std::size_t lane) {
  const ptx::Instruction& i = site.instruction;
  const std::uint32_t bits = bits_of(i.type);
  const Value a = value(site, 0, lane, bits);
  const Value by = value(site, 1, lane, 32);
  if (!is_constant(by) || !by.bits || !a.form.known || !a.bits || *by.bits >= bits) {
    return {};
  }
  if (i.op == Opcode::Shl) {
    return scale(a.form, std::uint64_t{1} << *by.bits, bits);
  }
  const std::optional<Division> parts =
      division(a, std::uint64_t{1} << *by.bits, bits, is_signed(i.type));
  return parts ? parts->quotient : Form{};
}

Form AffineTracker::divide(const Site& site, std::size_t lane) {
  const ptx::Instruction& i = site.instruction;
  const std::uint32_t bits = bits_of(i.type);
  const Value a = value(site, 0, lane, bits);
  const Value b = value(site, 1, lane, bits);
  if (!is_constant(b) || !b.bits || *b.bits == 0 || *b.bits >> (bits - 1) != 0) {
    return {};
  }
  const std::optional<Division> parts = division(a, *b.bits, bits, is_signed(i.type));
  if (!parts) {
    return {};
  }
  return i.op == Opcode::Rem ? parts->remainder : parts->quotient;
}

// Each change is split into a multiple of the divisor and a rest. If the rest does not carry the
// remainder beyond its bounds, both results are linear.
std::optional<AffineTracker::Division> AffineTracker::division(const Value& value,
                                                               std::uint64_t divisor,
                                                               std::uint32_t bits,
                                                               bool is_signed_value) {
  const std::optional<Wide> number = exact(value, bits, is_signed_value);
  if (!number || *number < 0) {
    return std::nullopt;
  }
  domain_.keep_within(*number, value.form, 0, kFar);
  const auto size = static_cast<Wide>(divisor);
  Division parts{kConstantForm, kConstantForm};
  for (std::size_t i = 0; i < kAxes; ++i) {
    const Wide step = value.form.per_block[i];
    const std::uint64_t blocks = std::uint64_t{domain_.range().last[i]} - domain_.range().first[i];
    const Wide times =
        step * 2 >= 0 ? (step * 2 + size) / (size * 2) : -((size - step * 2) / (size * 2));
    const Wide left = step - times * size;
    parts.quotient.per_block[i] = static_cast<std::int64_t>(times);
    parts.remainder.per_block[i] = static_cast<std::int64_t>(left);
    if (left != 0 && i < kBlockAxes && !wanted_split_) {
      const Wide period = size / std::gcd(static_cast<std::int64_t>(divisor),
                                          static_cast<std::int64_t>(left < 0 ? -left : left));
      if (static_cast<Wide>(blocks) >= period) {
        wanted_split_ = Split{i, static_cast<std::uint32_t>(period)};
      }
    }
  }
  domain_.keep_within(*number % size, parts.remainder, 0, size - 1);
  return parts;
}

Form AffineTracker::convert(const Site& site, std::size_t lane) {
  const ptx::Instruction& i = site.instruction;
  const ptx::Operand& to = site.operand(0);
  if (!is_integer(i.type) || !is_integer(i.source_type) || (i.flags & ptx::kSat) != 0 ||
      to.kind != OperandKind::Register || bits_of(to.reg) != bits_of(i.type)) {
    return {};
  }
  const std::uint32_t from_bits = bits_of(i.source_type);
  const Value a = value(site, 0, lane, from_bits);
  if (bits_of(i.type) > from_bits && !exact(a, from_bits, is_signed(i.source_type))) {
    return {};
  }
  return subtract(a.form, kConstantForm, std::min(bits_of(i.type), 64U));
}

Form AffineTracker::choose(const Site& site, std::size_t lane) {
  const ptx::Instruction& i = site.instruction;
  const std::uint32_t bits = bits_of(i.type);
  const Value a = value(site, 0, lane, bits);
  const Value b = value(site, 1, lane, bits);
  if (i.op == Opcode::Selp) {
    const ptx::Operand& predicate = site.source(2);
    if (predicate.kind != OperandKind::Register || !form(site, predicate, lane).known) {
      return {};
    }
    return chosen_source(machine_, site, static_cast<std::uint32_t>(lane)) == 0 ? a.form : b.form;
  }
  const std::optional<Wide> x = exact(a, bits, is_signed(i.type));
  const std::optional<Wide> y = exact(b, bits, is_signed(i.type));
  const std::optional<Form> difference = difference_of(a.form, b.form);
  if (!x || !y || !difference) {
    return {};
  }
  keep_outcome(Compare::Lt, *x - *y, *difference);
  const bool first = (*x < *y) == (i.op == Opcode::Min);
  return first ? a.form : b.form;
}

Form AffineTracker::compare(const Site& site, std::size_t lane) {
  const ptx::Instruction& i = site.instruction;
  if (!is_integer(i.type)) {
    return {};
  }
  const std::uint32_t bits = bits_of(i.type);
  const bool with_sign = is_signed(i.type);
  const Value a = value(site, 0, lane, bits);
  const Value b = value(site, 1, lane, bits);
  const std::optional<Wide> x = exact(a, bits, with_sign);
  const std::optional<Wide> y = exact(b, bits, with_sign);
  if (!x || !y) {
    return {};
  }
  if (site.sources() > 2 && !form(site, site.source(2), lane).known) {
    return {};  // combined with another predicate
  }
  const std::optional<Form> difference = difference_of(a.form, b.form);
  if (!difference) {
    return {};
  }
  keep_outcome(i.compare, *x - *y, *difference);
  return kConstantForm;
}

void AffineTracker::keep_outcome(Compare compare, Wide difference, const Form& form) {
  const auto keep = [&](bool below, Wide border) {
    below ? domain_.keep_within(difference, form, -kFar, border)
          : domain_.keep_within(difference, form, border, kFar);
  };
  switch (compare) {
    case Compare::Lt:
    case Compare::Lo:
    case Compare::Ge:
    case Compare::Hs:
      keep(difference < 0, difference < 0 ? -1 : 0);
      return;
    case Compare::Le:
    case Compare::Ls:
    case Compare::Gt:
    case Compare::Hi:
      keep(difference <= 0, difference <= 0 ? 0 : 1);
      return;
    default:  // equal or not equal
      if (difference == 0) {
        domain_.keep_within(0, form, 0, 0);
      } else {
        keep(difference < 0, difference < 0 ? -1 : 1);
      }
      return;
  }
}

}  // namespace tilestep::insight
