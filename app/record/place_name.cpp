#include "record/place_name.h"

#include <fmt/format.h>

#include <string_view>

namespace tilestep::record {
namespace {

struct Division {
  std::int64_t quotient;
  std::int64_t remainder;
};

// Rounds toward minus infinity, so that the element before the first one is [-1].
Division floor_divide(std::int64_t a, std::int64_t b) {
  std::int64_t quotient = a / b;
  std::int64_t remainder = a % b;
  if (remainder < 0) {
    remainder += b;
    --quotient;
  }
  return {quotient, remainder};
}

const ptx::Member* member_at(const ptx::SourceType& type, std::int64_t offset) {
  const ptx::Member* found = nullptr;
  for (const ptx::Member& member : type.members) {
    if (member.offset <= offset) {
      found = &member;
    }
  }
  return found;
}

// C++ reserves such names for libraries: the members of a cuda::barrier mean nothing to a user.
bool is_reserved(std::string_view name) {
  return name.starts_with("__");
}

std::string byte_suffix(std::int64_t offset) {
  return offset == 0 ? std::string{} : fmt::format("{:+}", offset);
}

std::string typed_name(const simt::Program& program, const simt::Allocation& allocation,
                       const simt::Place& place, std::uint32_t access_bytes) {
  const std::int64_t offset = place.offset;
  if (const simt::Array* view = program.view_at(place)) {
    const auto from = static_cast<std::int64_t>(view->base - allocation.base);
    const Division index = floor_divide(offset - from, program.module().types[view->element].bytes);
    return fmt::format(
        "{}[{}]{}", view->name, index.quotient,
        element_suffix(program.module(), view->element, index.remainder, access_bytes));
  }
  const ptx::TypeId type = program.declared_type(allocation);
  if (type == ptx::kNoType) {
    return allocation.name + byte_suffix(offset);
  }
  return allocation.name + element_suffix(program.module(), type, offset, access_bytes);
}

// The source variable at an offset in a call's frame.
LocalPlaceName name_in_frame(const ptx::Module& module, const ptx::Function& function,
                             std::uint64_t offset) {
  for (const ptx::SourceVariable& variable : function.source_variables) {
    if (variable.kind != ptx::LocationKind::Memory || variable.type >= module.types.size() ||
        module.variables[variable.variable].space != ptx::Space::Local) {
      continue;
    }
    const std::uint64_t start =
        std::uint64_t{module.variables[variable.variable].local_offset} + variable.offset;
    if (offset >= start && offset < start + module.types[variable.type].bytes) {
      return {variable.name,
              variable.name +
                  element_suffix(module, variable.type, static_cast<std::int64_t>(offset - start)),
              offset - start};
    }
  }
  return {kLocalMemory, kLocalMemory, 0};
}

}  // namespace

BufferElement buffer_element(const problem::Buffer& buffer, std::int64_t offset) {
  const auto size = static_cast<std::int64_t>(problem::byte_size(buffer.type));
  const Division element = floor_divide(offset, size);
  const Division row = floor_divide(element.quotient, buffer.pitch > 0 ? buffer.pitch : 1);
  return {row.quotient, row.remainder, element.remainder};
}

std::string element_suffix(const ptx::Module& module, ptx::TypeId type, std::int64_t offset,
                           std::uint32_t access_bytes) {
  std::string text;
  while (type != ptx::kNoType && type < module.types.size()) {
    const ptx::SourceType& t = module.types[type];
    const bool covers_all = access_bytes != 0 && offset == 0 && access_bytes >= t.bytes;
    if (t.kind == ptx::TypeKind::Array && t.element != ptx::kNoType) {
      const std::uint32_t size = module.types[t.element].bytes;
      if (size == 0) {
        break;
      }
      const Division index = floor_divide(offset, size);
      text += fmt::format("[{}]", index.quotient);
      offset = index.remainder;
      type = t.element;
      continue;
    }
    const bool aggregate = t.kind == ptx::TypeKind::Structure || t.kind == ptx::TypeKind::Union;
    const ptx::Member* member = aggregate && !covers_all ? member_at(t, offset) : nullptr;
    if (member == nullptr) {
      break;
    }
    if (is_reserved(member->name)) {
      return text;
    }
    text += "." + member->name;
    offset -= member->offset;
    type = member->type;
  }
  return text + byte_suffix(offset);
}

std::string place_name(const simt::Program& program, const simt::Place& place,
                       std::uint32_t access_bytes) {
  if (place.allocation == simt::kNoAllocation) {
    return {};
  }
  const simt::Allocation& allocation = program.allocations()[place.allocation];
  switch (allocation.kind) {
    case simt::AllocationKind::Buffer: {
      const problem::Buffer& buffer = program.launch().buffers[allocation.launch_buffer];
      const BufferElement e = buffer_element(buffer, place.offset);
      // A place beyond a buffer's only row continues its element index.
      const bool is_row = buffer.rows == 1;
      return problem::element_name(buffer, is_row ? 0 : e.row,
                                   is_row ? e.row * buffer.pitch + e.col : e.col) +
             byte_suffix(e.byte_in_element);
    }
    case simt::AllocationKind::GlobalVariable:
    case simt::AllocationKind::ConstVariable:
    case simt::AllocationKind::Shared:
      return typed_name(program, allocation, place, access_bytes);
    case simt::AllocationKind::Heap:
    case simt::AllocationKind::ReservedShared:
    case simt::AllocationKind::Local:
    case simt::AllocationKind::Param:
      return allocation.name + byte_suffix(place.offset);
  }
  return {};
}

const std::string& variable_name(const simt::Program& program, std::uint32_t allocation) {
  const simt::Allocation& place = program.allocations()[allocation];
  const bool is_piece =
      place.is_variable() && !program.module().variables[place.module_variable].path.empty();
  return is_piece ? program.module().variables[place.module_variable].whole : place.name;
}

LocalPlaceName local_place_name(const simt::Machine& machine, simt::WarpId id, int lane,
                                std::uint32_t frame, std::uint64_t generic_address) {
  const ptx::Module& module = machine.program().module();
  for (;;) {
    const auto call = machine.call(id, frame);
    const std::uint64_t base = machine.local_frame(id, lane, frame);
    if (!call) {
      break;
    }
    const ptx::Function& function = module.functions[call->function];
    if (base != 0 && generic_address >= base && generic_address < base + function.local_bytes) {
      return name_in_frame(module, function, generic_address - base);
    }
    if (frame == 0) {
      break;
    }
    frame = call->caller;
  }
  return {kLocalMemory, kLocalMemory, 0};
}

}  // namespace tilestep::record
