#include "record/value.h"

#include "problem/tr.h"
#include "record/place_name.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace tilestep::record {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kMaxElements = 8;  // of one array dimension
constexpr int kMaxDepth = 4;

template <class T>
T load(Bytes bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof(T), bytes.size()));
  return value;
}

std::uint64_t unsigned_bits(Bytes bytes) {
  return load<std::uint64_t>(bytes);
}

std::int64_t signed_value(Bytes bytes) {
  const std::size_t bits = 8 * std::min<std::size_t>(bytes.size(), 8);
  const std::uint64_t raw = unsigned_bits(bytes);
  if (bits == 0 || bits == 64) {
    return static_cast<std::int64_t>(raw);
  }
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((raw ^ sign) - sign);
}

template <class T>
std::string format_real(T value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  return fmt::format("{}", value);
}

std::string format_float(Bytes bytes) {
  switch (bytes.size()) {
    case 4:
      return format_real(load<float>(bytes));
    case 8:
      return format_real(load<double>(bytes));
    default:
      return fmt::format("0x{:x}", unsigned_bits(bytes));
  }
}

std::string format_character(std::int64_t code) {
  const bool printable = code >= 0x20 && code < 0x7f;
  return printable ? fmt::format("{} '{}'", code, static_cast<char>(code))
                   : fmt::format("{}", code);
}

std::string format_pointer(const simt::Program& program, std::uint64_t address) {
  if (address == 0) {
    return "null";
  }
  const simt::Place place = program.locate(address, 1);
  if (place.allocation == simt::kNoAllocation) {
    return fmt::format("0x{:x}", address);
  }
  const simt::Allocation& allocation = program.allocations()[place.allocation];
  const bool one_past = static_cast<std::uint64_t>(place.offset) == allocation.bytes;
  // The nearest buffer to an address outside all of them says nothing about it.
  if (!place.inside && !one_past) {
    return fmt::format("0x{:x}", address);
  }
  return "&" + place_name(program, place);
}

std::string format_enumeration(const ptx::SourceType& type, std::int64_t value) {
  for (const ptx::Enumerator& e : type.enumerators) {
    if (e.value == value) {
      return e.name;
    }
  }
  return fmt::format("{}", value);
}

std::int64_t bit_field(const ptx::Member& member, Bytes storage, bool is_signed) {
  // NVRTC counts bit_offset from the least significant bit, unlike DWARF 2.
  const std::uint32_t shift = member.bit_offset;
  const std::uint64_t mask =
      member.bit_size >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << member.bit_size) - 1;
  const std::uint64_t raw = (unsigned_bits(storage) >> shift) & mask;
  const std::uint64_t sign = std::uint64_t{1} << (member.bit_size - 1);
  return static_cast<std::int64_t>(is_signed ? (raw ^ sign) - sign : raw);
}

std::string format_bytes(const simt::Program& program, ptx::TypeId type, Bytes bytes, int depth);

std::string format_members(const simt::Program& program, const ptx::SourceType& type, Bytes bytes,
                           int depth) {
  std::string text;
  for (const ptx::Member& member : type.members) {
    const ptx::SourceType& t = program.module().types[member.type];
    if (std::size_t{member.offset} + t.bytes > bytes.size()) {
      continue;
    }
    const Bytes part = bytes.subspan(member.offset, t.bytes);
    const std::string value =
        member.bit_size != 0
            ? fmt::format("{}", bit_field(member, part, t.kind == ptx::TypeKind::SignedInteger))
            : format_bytes(program, member.type, part, depth + 1);
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", member.name, value);
  }
  return "{" + text + "}";
}

std::string format_array(const simt::Program& program, const ptx::SourceType& type, Bytes bytes,
                         int depth) {
  const std::size_t size =
      type.element == ptx::kNoType ? 0 : program.module().types[type.element].bytes;
  if (size == 0) {
    return "{…}";
  }
  const std::size_t count = bytes.size() / size;
  std::string text;
  for (std::size_t i = 0; i < std::min(count, kMaxElements); ++i) {
    text += i == 0 ? "" : ", ";
    text += format_bytes(program, type.element, bytes.subspan(i * size, size), depth + 1);
  }
  return "{" + text + (count > kMaxElements ? ", …}" : "}");
}

std::string format_bytes(const simt::Program& program, ptx::TypeId type, Bytes bytes, int depth) {
  if (type == ptx::kNoType || type >= program.module().types.size()) {
    return bytes.size() <= 8 ? fmt::format("0x{:x}", unsigned_bits(bytes)) : "{…}";
  }
  const ptx::SourceType& t = program.module().types[type];
  switch (t.kind) {
    case ptx::TypeKind::Bool:
      return unsigned_bits(bytes) != 0 ? "true" : "false";
    case ptx::TypeKind::SignedInteger:
      return fmt::format("{}", signed_value(bytes));
    case ptx::TypeKind::UnsignedInteger:
      return fmt::format("{}", unsigned_bits(bytes));
    case ptx::TypeKind::SignedChar:
      return format_character(signed_value(bytes));
    case ptx::TypeKind::UnsignedChar:
      return format_character(static_cast<std::int64_t>(unsigned_bits(bytes)));
    case ptx::TypeKind::Float:
      return format_float(bytes);
    case ptx::TypeKind::Pointer:
    case ptx::TypeKind::Reference:
      return format_pointer(program, unsigned_bits(bytes));
    case ptx::TypeKind::Enumeration:
      return format_enumeration(t, signed_value(bytes));
    case ptx::TypeKind::Array:
      return depth < kMaxDepth ? format_array(program, t, bytes, depth) : "{…}";
    case ptx::TypeKind::Structure:
    case ptx::TypeKind::Union:
      return depth < kMaxDepth ? format_members(program, t, bytes, depth) : "{…}";
    case ptx::TypeKind::Void:
    case ptx::TypeKind::Function:
    case ptx::TypeKind::Unknown:
      break;
  }
  return bytes.size() <= 8 ? fmt::format("0x{:x}", unsigned_bits(bytes)) : "{…}";
}

}  // namespace

std::string format_value(const simt::Program& program, const Value& value) {
  switch (value.status) {
    case Value::Status::Ok:
    case Value::Status::ThreadExited:
      return value.bytes.empty() ? "–" : format_bytes(program, value.type, value.bytes, 0);
    case Value::Status::NotYetAssigned:
      return "–";
    case Value::Status::OptimisedOut:
      return tr("optimized out");
    case Value::Status::OutOfScope:
      return tr("out of scope");
    case Value::Status::Unreadable:
      return tr("unreadable");
  }
  return {};
}

}  // namespace tilestep::record
