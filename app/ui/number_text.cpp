#include "ui/number_text.h"

#include "ptx/model/module.h"
#include "ui/inspector/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tilestep::ui {
namespace {

using problem::ElementType;
using state::NumberForm;

constexpr double kTooLong = 1e7;  // larger whole numbers are shown with a power of ten
constexpr int kLongestFraction = 6;
constexpr int kLeastFraction = 3;

bool is_whole(double value) {
  return value == std::trunc(value) && std::abs(value) < kTooLong;
}

// The length of a whole number without printing it: thousands of cells ask in every frame.
int whole_size(double value) {
  int size = std::signbit(value) ? 2 : 1;
  for (double rest = std::abs(value); rest >= 10.0; rest /= 10.0) {
    ++size;
  }
  return size;
}

// Drops characters that readers can supply: "0.25" → ".25", "1e+09" → "1e9", "1e-05" → "1e-5".
std::string squeezed(std::string text) {
  const std::size_t e = text.find('e');
  if (e != std::string::npos) {
    std::size_t digit = e + 2;
    while (digit + 1 < text.size() && text[digit] == '0') {
      text.erase(digit, 1);
    }
    if (text[e + 1] == '+') {
      text.erase(e + 1, 1);
    }
  }
  const std::size_t zero = text.find("0.");
  if (zero == 0 || (zero == 1 && text[0] == '-')) {
    text.erase(zero, 1);
  }
  return text;
}

constexpr std::size_t kLargestElement = 8;  // bytes
constexpr std::size_t kBitsOfByte = 8;
// Significant digits of the longest float64: enough to write every number exactly.
constexpr int kEveryDigit = 770;

// Positions of blanks: before these bits, counted from the left.
struct BitGroups {
  std::size_t exponent = 0;  // number of its bits; 0: an integer
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

std::string short_number(double value, int max_chars) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  if (is_whole(value) && whole_size(value) <= max_chars) {
    return fmt::format("{:.0f}", value);
  }
  const auto room = static_cast<std::size_t>(max_chars);
  for (int precision = 7; precision >= 1; --precision) {
    const std::string plain = fmt::format("{:.{}g}", value, precision);
    std::string tight = squeezed(plain);
    if (plain.size() <= room && plain.find('e') == std::string::npos) {
      return plain;
    }
    if (tight.size() <= room) {
      return tight;
    }
    // A whole number must not lose digits, because it would look like another number.
    if (is_whole(value)) {
      for (int digits = precision - 1; digits >= 0; --digits) {
        tight = squeezed(fmt::format("{:.{}e}", value, digits));
        if (tight.size() <= room) {
          return tight;
        }
      }
      return "#";
    }
  }
  return "#";
}

NumberRoom number_room(double value) {
  if (is_whole(value)) {
    const int size = whole_size(value);
    return {size, size};
  }
  const int size = static_cast<int>(short_number(value, kLongestFraction).size());
  return {size, std::min(size, kLeastFraction)};
}

std::string full_number(double value) {
  const auto narrow = static_cast<float>(value);
  if (std::isnan(value)) {
    return "nan";
  }
  return with_minus(static_cast<double>(narrow) == value ? fmt::format("{}", narrow)
                                                         : fmt::format("{}", value));
}

std::string factor_number(double value) {
  return std::signbit(value) && !std::isnan(value) ? fmt::format("({})", full_number(value))
                                                   : full_number(value);
}

std::string with_minus(const std::string& number) {
  std::string text;
  for (const char c : number) {
    text += c == '-' ? std::string("−") : std::string(1, c);
  }
  return text;
}

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

using problem::ElementType;

std::optional<ElementType> element_type(const ptx::SourceType& type) {
  struct Row {
    ptx::TypeKind kind;
    std::uint32_t bytes;
    ElementType type;
  };
  using ptx::TypeKind;
  static constexpr Row kRows[] = {
      {TypeKind::Float, 4, ElementType::F32},
      {TypeKind::Float, 8, ElementType::F64},
      {TypeKind::SignedInteger, 2, ElementType::S16},
      {TypeKind::SignedInteger, 4, ElementType::S32},
      {TypeKind::SignedInteger, 8, ElementType::S64},
      {TypeKind::UnsignedInteger, 2, ElementType::U16},
      {TypeKind::UnsignedInteger, 4, ElementType::U32},
      {TypeKind::UnsignedInteger, 8, ElementType::U64},
      {TypeKind::SignedChar, 1, ElementType::S8},
      {TypeKind::UnsignedChar, 1, ElementType::U8},
      {TypeKind::Bool, 1, ElementType::U8},
  };
  for (const Row& row : kRows) {
    if (row.kind == type.kind && row.bytes == type.bytes) {
      return row.type;
    }
  }
  // The half types of cuda_fp16.h and cuda_bf16.h are structs.
  if (type.bytes == 2 && (type.name == "__half" || type.name == "half")) {
    return ElementType::F16;
  }
  if (type.bytes == 2 && type.name == "__nv_bfloat16") {
    return ElementType::BF16;
  }
  return std::nullopt;
}

std::optional<ElementType> element_type(const simt::Program& program, const simt::Place& place) {
  if (place.allocation == simt::kNoAllocation) {
    return std::nullopt;
  }
  const simt::Allocation& allocation = program.allocations()[place.allocation];
  if (allocation.kind == simt::AllocationKind::Buffer) {
    return program.launch().buffers[allocation.launch_buffer].type;
  }
  const ptx::Module& module = program.module();
  const simt::Array* const view = program.view_at(place);
  const ptx::TypeId type = ptx::innermost_element(
      module, view != nullptr ? view->element : program.declared_type(allocation));
  return type == ptx::kNoType ? std::nullopt : element_type(module.types[type]);
}

std::string numbers_text(ElementType type, std::span<const std::byte> bytes) {
  const std::size_t size = problem::byte_size(type);
  std::string text;
  for (std::size_t at = 0; bytes.size() % size == 0 && at < bytes.size(); at += size) {
    text += (at == 0 ? "" : ", ") +
            problem::element_text(type, problem::load_element(type, bytes.data() + at));
  }
  return text;
}

}  // namespace tilestep::ui
