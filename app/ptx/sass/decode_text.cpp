#include "problem/tr.h"
#include "problem/values/element.h"
#include "ptx/sass/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <set>
#include <string>

namespace tilestep::ptx {
namespace {

using Kind = SassOperand::Kind;

constexpr SassSpecial kSpecials[] = {
    {0x00, "SR_LANEID", "%laneid"},
    {0x21, "SR_TID.X", "%tid.x"},
    {0x22, "SR_TID.Y", "%tid.y"},
    {0x23, "SR_TID.Z", "%tid.z"},
    {0x25, "SR_CTAID.X", "%ctaid.x"},
    {0x26, "SR_CTAID.Y", "%ctaid.y"},
    {0x27, "SR_CTAID.Z", "%ctaid.z"},
    {0x43, "SR_VIRTUALSMID", "%smid"},
    {0x50, "SR_CLOCKLO", "%clock"},
    {0x51, "SR_CLOCKHI", "%clock_hi"},
    {0x88, "SR_CgaCtaId", "0"},  // one block a cluster
    {0xff, "SRZ", "0"},
};

std::string hexadecimal(std::int64_t value) {
  return value < 0 ? fmt::format("-0x{:x}", 0 - static_cast<std::uint64_t>(value))
                   : fmt::format("0x{:x}", value);
}

// As nvdisasm writes a float16 or float32.
std::string decimal(double value) {
  constexpr double kLong = 1e9;
  if (std::isnan(value)) {
    return std::signbit(value) ? "-QNAN" : "+QNAN";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-INF" : "+INF";
  }
  return std::abs(value) < kLong ? fmt::format("{:.20g}", value) : fmt::format("{:.20e}", value);
}

std::string half(std::uint32_t bits) {
  return decimal(problem::from_half_bits(static_cast<std::uint16_t>(bits)));
}

std::string register_text(Kind kind, std::uint8_t index) {
  if (kind == Kind::Uniform) {
    return index == kZeroUniform ? "URZ" : fmt::format("UR{}", index);
  }
  return index == kZeroRegister ? "RZ" : fmt::format("R{}", index);
}

std::string predicate_text(bool is_uniform, std::uint8_t index, bool is_negated) {
  const std::string number = index == kTruePredicate ? "T" : std::to_string(index);
  return fmt::format("{}{}{}", is_negated ? "!" : "", is_uniform ? "UP" : "P", number);
}

// "[R4+UR2+0x10]", "desc[UR4][R2.64+0x10]"
std::string address_text(const SassOperand& o) {
  std::string inner;
  const bool is_near = !o.is_wide;
  if (o.index != kZeroRegister || !is_near || !o.has_uniform) {
    inner = register_text(Kind::Register, o.index) + (is_near ? "" : ".64");
    inner += o.scale == 0 ? "" : fmt::format(".X{}", 2 << o.scale);
  }
  if (is_near && o.has_uniform) {
    inner += (inner.empty() ? "" : "+") + register_text(Kind::Uniform, o.uniform);
  }
  if (o.value != 0) {
    inner += "+" + hexadecimal(o.value);
  }
  return is_near || !o.has_uniform
             ? fmt::format("[{}]", inner)
             : fmt::format("desc[{}][{}]", register_text(Kind::Uniform, o.uniform), inner);
}

std::string operand_text(const SassOperand& o) {
  const auto bits = static_cast<std::uint32_t>(o.value);
  switch (o.kind) {
    case Kind::Register:
    case Kind::Uniform: {
      const std::string name = register_text(o.kind, o.index);
      return (o.negated ? "-" : "") + (o.absolute ? "|" + name + "|" : name) +
             (o.is_kept ? ".reuse" : "");
    }
    case Kind::Predicate:
    case Kind::UniformPredicate:
      return predicate_text(o.kind == Kind::UniformPredicate, o.index, o.negated);
    case Kind::Immediate:
    case Kind::Label:
      return hexadecimal(o.value);
    case Kind::Float:
      return decimal(std::bit_cast<float>(bits));
    case Kind::Halves:
      return half(bits >> 16) + ", " + half(bits);
    case Kind::Constant:
      return fmt::format(
          "{}c[{}][{}]", o.negated ? "-" : "", hexadecimal(o.bank),
          o.index == kZeroRegister && (o.value != 0 || !o.has_index) ? hexadecimal(o.value)
          : o.value == 0 ? register_text(Kind::Register, o.index)
                         : register_text(Kind::Register, o.index) + "+" + hexadecimal(o.value));
    case Kind::Address:
      return address_text(o);
    case Kind::Special: {
      const SassSpecial* const special = find_sass_special(o.value);
      return special == nullptr ? "" : special->name;
    }
    case Kind::Barrier:
      return fmt::format("B{}", o.value);
    case Kind::Scoreboard:
      return fmt::format("SB{}", o.value);
    case Kind::AllPredicates:
      break;
  }
  return "PR";
}

bool is_zero_register(const SassOperand& o) {
  return o.kind == Kind::Register && o.index == kZeroRegister;
}

// nvdisasm names a multiply-add by what it is used for: a move, a sum, a shift.
std::string_view use_of_multiply_add(const SassInstruction& i) {
  if (i.name != "IMAD" || (i.modifiers != ".U32" && !i.modifiers.empty())) {
    return "";
  }
  const SassOperand& a = i.operands[2];
  const SassOperand& b = i.operands[3];
  const SassOperand& c = i.operands[4];
  if (is_zero_register(a) && is_zero_register(b)) {
    return c.kind == Kind::Uniform ? "" : ".MOV";
  }
  if (b.kind != Kind::Immediate) {
    return "";
  }
  if (b.value == 1) {
    return ".IADD";
  }
  return is_zero_register(c) && b.value > 0 &&
                 std::has_single_bit(static_cast<std::uint64_t>(b.value))
             ? ".SHL"
             : "";
}

}  // namespace

const SassSpecial* find_sass_special(std::int64_t number) {
  const auto* const found = std::ranges::find(kSpecials, number, &SassSpecial::number);
  return found == std::end(kSpecials) ? nullptr : found;
}

bool SassInstruction::has(std::string_view modifier) const {
  const std::size_t at = modifiers.find(modifier);
  const std::size_t end = at + modifier.size();
  return at != std::string::npos && (end == modifiers.size() || modifiers[end] == '.');
}

std::string SassInstruction::text() const {
  std::string text;
  if (guard != kTruePredicate || guard_is_negated) {
    text = "@" + predicate_text(guard_is_uniform, guard, guard_is_negated) + " ";
  }
  text += name;
  text += use_of_multiply_add(*this);
  text += modifiers;
  std::string_view separator = " ";
  for (const SassOperand& operand : operands) {
    if (!operand.is_hidden) {
      text += separator;
      text += operand_text(operand);
      separator = ", ";
    }
  }
  return text;
}

SassListing list_sass(const CubinKernel& kernel) {
  const std::vector<SassInstruction> code = read_sass(kernel.code, kernel.architecture);
  std::set<std::int64_t> targets;
  for (const SassInstruction& instruction : code) {
    for (const SassOperand& operand : instruction.operands) {
      if (operand.kind == Kind::Label) {
        targets.insert(operand.value);
      }
    }
  }
  SassListing listing;
  const auto add = [&listing](const std::string& text, std::uint32_t line) {
    listing.text += text + "\n";
    listing.lines.push_back(line);
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::uint32_t offset = code[i].offset;
    if (targets.contains(offset)) {
      add(fmt::format("0x{:x}:", offset), 0);
    }
    const auto [low, high] = sass_words(kernel.code, offset);
    const std::string text =
        code[i].is_known()
            ? code[i].text()
            : tr("0x{:016x} 0x{:016x}: Tilestep does not know this instruction.", high, low);
    const char* const indent = text.starts_with('@') ? "  " : "      ";
    add(fmt::format("{:04x}{}{}", offset, indent, text),
        i < kernel.lines.size() ? kernel.lines[i] : 0);
  }
  return listing;
}

}  // namespace tilestep::ptx
