#include "ui/element_type.h"

#include "ptx/model/module.h"

#include <cstdint>

namespace tilestep::ui {

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
  // Half types of cuda_fp16.h and cuda_bf16.h are structs.
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
