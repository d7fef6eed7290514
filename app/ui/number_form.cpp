#include "ui/number_form.h"

#include "ui/element_type.h"
#include "ui/inspector/pages.h"
#include "ui/stage/number_text.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>

namespace tilestep::ui {
namespace {

using problem::ElementType;
using state::NumberForm;

constexpr std::size_t kLargestElement = 8;  // bytes
constexpr std::size_t kBitsOfByte = 8;
// Significant digits of the longest float64: with these every number is written exactly.
constexpr int kEveryDigit = 770;

// Where a blank goes: before these bits, counted from the left.
struct BitGroups {
  std::size_t exponent = 0;  // bits of it; 0: an integer
};

BitGroups groups_of(ElementType type) {
  switch (type) {
    case ElementType::F16:
      return {5};
    case ElementType::BF16:
    case ElementType::F32:
      return {8};
    case ElementType::F64:
      return {11};
    default:
      return {};
  }
}

bool is_float(ElementType type) {
  return groups_of(type).exponent > 0;
}

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text = "0x";
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    text += fmt::format("{:02X}", std::to_integer<unsigned>(*byte));
  }
  return text;
}

std::string binary_of(std::span<const std::byte> bytes, BitGroups groups) {
  const std::size_t count = bytes.size() * kBitsOfByte;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {  // from the left
    const std::size_t bit = count - 1 - i;
    const bool begins_group =
        groups.exponent > 0 ? i == 1 || i == 1 + groups.exponent : i > 0 && i % kBitsOfByte == 0;
    text += begins_group ? " " : "";
    const auto byte = std::to_integer<unsigned>(bytes[bit / kBitsOfByte]);
    text += ((byte >> (bit % kBitsOfByte)) & 1U) != 0 ? '1' : '0';
  }
  return text;
}

std::string exact_of(double value) {
  return std::isfinite(value) ? with_minus(fmt::format("{:.{}g}", value, kEveryDigit))
                              : full_number(value);
}

std::string formed_bytes(std::span<const std::byte> bytes, ElementType type, NumberForm form) {
  return form == NumberForm::Hex ? hex_of(bytes) : binary_of(bytes, groups_of(type));
}

}  // namespace

std::string formed_number(double value, std::optional<ElementType> type, NumberForm form) {
  if (form == NumberForm::Decimal) {
    return full_number(value);
  }
  const ElementType kind = type.value_or(ElementType::F32);
  if (form == NumberForm::Exact) {
    return exact_of(value);
  }
  if (!is_float(kind) && !problem::fits(kind, value)) {
    return full_number(value);
  }
  std::array<std::byte, kLargestElement> bytes{};
  problem::store_element(kind, value, bytes.data());
  return formed_bytes({bytes.data(), problem::byte_size(kind)}, kind, form);
}

std::string formed_value(const simt::Program& program, const record::Value& value,
                         NumberForm form) {
  const std::string decimal = value_text(program, value);
  const auto& types = program.module().types;
  const bool is_there = value.status == record::Value::Status::Ok ||
                        value.status == record::Value::Status::ThreadExited;
  if (form == NumberForm::Decimal || !is_there || value.bytes.empty() ||
      value.type >= types.size()) {
    return decimal;
  }
  const std::optional<ElementType> type = element_type(types[value.type]);
  const bool fits = type && value.bytes.size() == problem::byte_size(*type);
  if (!fits) {
    const bool is_pointer = types[value.type].kind == ptx::TypeKind::Pointer;
    return is_pointer && form == NumberForm::Hex ? hex_of(value.bytes) : decimal;
  }
  if (form == NumberForm::Exact) {
    return is_float(*type) ? exact_of(problem::load_element(*type, value.bytes.data())) : decimal;
  }
  return formed_bytes(value.bytes, *type, form);
}

}  // namespace tilestep::ui
