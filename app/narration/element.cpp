#include "narration/element.h"

#include "record/place_name.h"

#include <fmt/format.h>

#include <cstring>

namespace tilestep::narration {
namespace {

struct Scalar {
  ptx::TypeKind kind = ptx::TypeKind::Float;
  std::uint32_t bytes = 4;
};

// The innermost element of an array's type; float if it is unknown.
Scalar scalar_of(const ptx::Module& module, ptx::TypeId type) {
  while (type < module.types.size()) {
    const ptx::SourceType& t = module.types[type];
    if (t.kind == ptx::TypeKind::Array) {
      type = t.element;
    } else if (t.kind == ptx::TypeKind::Structure && !t.members.empty()) {
      type = t.members.front().type;  // float4: its x
    } else {
      return {t.kind, t.bytes};
    }
  }
  return {};
}

bool has_elements(const simt::Array& array) {
  return array.kind == simt::AllocationKind::Buffer || array.is_variable();
}

// The size of each dimension of a variable, outermost first; `type` becomes the element type.
std::vector<std::int64_t> counts_of(const simt::Program& program, const simt::Array& array,
                                    ptx::TypeId& type) {
  const ptx::Module& module = program.module();
  std::vector<std::int64_t> counts;
  type = program.type_of(array);
  if (array.is_view()) {
    counts.push_back(static_cast<std::int64_t>(array.bytes / module.types[type].bytes));
  }
  while (type < module.types.size() && module.types[type].kind == ptx::TypeKind::Array &&
         module.types[type].element < module.types.size()) {
    counts.push_back(std::max(1U, module.types[type].count));
    type = module.types[type].element;
  }
  return counts;
}

std::optional<Number> decode(const Scalar& scalar, const std::byte* from) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, std::min<std::uint32_t>(scalar.bytes, 8));
  const bool is_signed = scalar.kind == ptx::TypeKind::SignedInteger;
  switch (scalar.bytes) {
    case 1:
      return whole(is_signed ? static_cast<std::int8_t>(bits) : static_cast<std::int64_t>(bits));
    case 2:
      return whole(is_signed ? static_cast<std::int16_t>(bits) : static_cast<std::int64_t>(bits));
    case 4: {
      if (scalar.kind == ptx::TypeKind::Float) {
        float f = 0.0F;
        std::memcpy(&f, from, sizeof f);
        return real_number(static_cast<double>(f));
      }
      return whole(is_signed ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits));
    }
    case 8: {
      if (scalar.kind == ptx::TypeKind::Float) {
        double d = 0.0;
        std::memcpy(&d, from, sizeof d);
        return real_number(d);
      }
      return whole(static_cast<std::int64_t>(bits));
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::uint32_t element_bytes(const simt::Program& program, const simt::Array& array) {
  return array.kind == simt::AllocationKind::Buffer
             ? static_cast<std::uint32_t>(
                   problem::byte_size(program.launch().buffers[array.launch_buffer].type))
             : scalar_of(program.module(), program.type_of(array)).bytes;
}

ArrayShape array_shape(const simt::Program& program, std::uint32_t allocation) {
  ArrayShape shape;
  const simt::Array& a = program.arrays()[allocation];
  shape.allocation = allocation;
  if (!has_elements(a)) {
    return shape;
  }
  shape.base = a.base;
  shape.bytes = a.bytes;
  shape.size = std::max(1U, element_bytes(program, a));
  if (a.kind == simt::AllocationKind::Buffer) {
    const problem::Buffer& buffer = program.launch().buffers[a.launch_buffer];
    shape.cols = std::max(1, buffer.pitch);
    shape.is_flat = buffer.rows == 1;
    return shape;
  }
  const ptx::Module& module = program.module();
  ptx::TypeId type = 0;
  const std::vector<std::int64_t> counts = counts_of(program, a, type);
  const std::uint32_t inner = type < module.types.size() ? module.types[type].bytes : 0;
  const std::int64_t parts = inner > shape.size ? inner / shape.size : 1;  // of a vector
  shape.is_flat = counts.size() <= 1;
  shape.cols = (counts.empty() ? 1 : counts.back()) * parts;
  shape.rows = counts.size() >= 3 ? counts[counts.size() - 2] : 0;
  if (shape.is_flat) {
    shape.cols = std::max<std::int64_t>(1, static_cast<std::int64_t>(a.bytes / shape.size));
  }
  return shape;
}

Element element_in(const ArrayShape& shape, std::int64_t offset) {
  const auto floor_div = [](std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); };
  Element e;
  e.allocation = shape.allocation;
  e.is_flat = shape.is_flat;
  const std::int64_t number = floor_div(offset, shape.size);
  e.row = floor_div(number, shape.cols);
  e.col = number - e.row * shape.cols;
  if (shape.rows > 0) {
    e.has_outer = true;
    e.outer = floor_div(e.row, shape.rows);
    e.row -= e.outer * shape.rows;
  }
  return e;
}

std::optional<Element> element_at(const simt::Program& program, std::uint64_t address,
                                  std::uint32_t bytes) {
  const simt::Place place = program.locate_array(address, bytes);
  if (place.allocation == simt::kNoAllocation ||
      !has_elements(program.arrays()[place.allocation])) {
    return std::nullopt;
  }
  return element_in(array_shape(program, place.allocation), place.offset);
}

std::string array_text(const simt::Program& program, const Element& e) {
  const simt::Array& a = program.arrays()[e.allocation];
  if (!e.has_outer) {
    return a.name;
  }
  ptx::TypeId type = 0;
  const std::vector<std::int64_t> counts = counts_of(program, a, type);
  // The outer index is linearized from all but the last two.
  std::string indices;
  std::int64_t left = e.outer;
  for (std::size_t n = counts.size() < 2 ? 0 : counts.size() - 2; n > 1; --n) {
    indices.insert(0, fmt::format("[{}]", left % counts[n - 1]));
    left /= counts[n - 1];
  }
  return fmt::format("{}[{}]{}", a.name, left, indices);
}

std::string place_text(const simt::Program& program, std::uint64_t address, std::uint32_t bytes) {
  const simt::Place place = program.locate(address, 1);
  std::string text = record::place_name(program, place);
  const std::optional<Element> e = element_at(program, address, 1);
  if (!e) {
    return text;
  }
  const std::uint32_t size = element_bytes(program, program.arrays()[e->allocation]);
  const std::size_t open = text.rfind('[');
  if (size == 0 || bytes <= size || !text.ends_with(']') || open == std::string::npos) {
    return text;
  }
  return fmt::format("{}[{}..{}]", text.substr(0, open), e->col, e->col + bytes / size - 1);
}

std::optional<Number> number_at(const record::State& state, std::uint32_t block,
                                std::uint64_t address) {
  const simt::Program& program = state.machine().program();
  const simt::Place place = program.locate_array(address, 1);
  if (place.allocation == simt::kNoAllocation || !place.inside) {
    return std::nullopt;
  }
  const simt::Array& a = program.arrays()[place.allocation];
  if (a.kind == simt::AllocationKind::Buffer) {
    const problem::Buffer& buffer = program.launch().buffers[a.launch_buffer];
    const auto bytes = state.machine().buffer(a.launch_buffer);
    const auto size = problem::byte_size(buffer.type);
    const auto at = static_cast<std::size_t>(place.offset) / size * size;
    if (at + size > bytes.size()) {
      return std::nullopt;
    }
    const double value = problem::load_element(buffer.type, bytes.data() + at);
    const bool real =
        buffer.type == problem::ElementType::F16 || buffer.type == problem::ElementType::BF16 ||
        buffer.type == problem::ElementType::F32 || buffer.type == problem::ElementType::F64;
    return real ? real_number(value) : whole(static_cast<std::int64_t>(value));
  }
  const Scalar scalar = scalar_of(program.module(), program.type_of(a));
  if (a.kind != simt::AllocationKind::Shared || scalar.bytes == 0 || scalar.bytes > 8) {
    return std::nullopt;
  }
  const auto bytes = state.shared(block);
  const auto at = static_cast<std::size_t>(address - simt::kSharedWindow);
  return at + scalar.bytes <= bytes.size() ? decode(scalar, bytes.data() + at) : std::nullopt;
}

}  // namespace tilestep::narration
