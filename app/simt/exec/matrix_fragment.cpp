#include "simt/exec/matrix_fragment.h"

namespace tilestep::simt {
namespace {

using ptx::MatrixShape;
using ptx::Type;

// Elements of A and B; wmma names only D's and C's where they are halfs.
[[nodiscard]] Type element_type(const ptx::Instruction& i, const ptx::MatrixForm& form,
                                std::uint32_t operand) {
  if (i.op == ptx::Opcode::WmmaLoad || i.op == ptx::Opcode::WmmaStore) {
    return form.types[0];
  }
  const bool names_all = form.types[2] != Type::None;
  switch (operand) {
    case 0:
      return form.types[0];
    case 3:
      return names_all ? form.types[3] : form.types[1];
    default:
      return names_all ? form.types[operand] : Type::F16;
  }
}

[[nodiscard]] Role role_of(const ptx::Instruction& i, std::uint32_t operand) {
  switch (i.op) {
    case ptx::Opcode::WmmaLoad:
    case ptx::Opcode::WmmaStore:
      return i.mode == ptx::Mode::FragmentA   ? Role::A
             : i.mode == ptx::Mode::FragmentB ? Role::B
                                              : Role::C;
    default:
      return operand == 1 ? Role::A : operand == 2 ? Role::B : Role::C;
  }
}

}  // namespace

TileShape tile_shape(MatrixShape shape) {
  switch (shape) {
    case MatrixShape::None:
    case MatrixShape::M64NxK8:
    case MatrixShape::M64NxK16:
    case MatrixShape::M64NxK32:
      return {};  // of one warp: warpgroup.cpp has the others
    case MatrixShape::M8N8:
      return {8, 8, 0};
    case MatrixShape::M8N8K4:
      return {8, 8, 4};
    case MatrixShape::M8N8K16:
      return {8, 8, 16};
    case MatrixShape::M8N32K16:
      return {8, 32, 16};
    case MatrixShape::M16N8K4:
      return {16, 8, 4};
    case MatrixShape::M16N8K8:
      return {16, 8, 8};
    case MatrixShape::M16N8K16:
      return {16, 8, 16};
    case MatrixShape::M16N8K32:
      return {16, 8, 32};
    case MatrixShape::M16N16K8:
      return {16, 16, 8};
    case MatrixShape::M16N16K16:
      return {16, 16, 16};
    case MatrixShape::M32N8K16:
      return {32, 8, 16};
  }
  return {};
}

TileShape warpgroup_shape(const ptx::MatrixForm& form, std::uint32_t warps) {
  const std::uint32_t k = form.shape == MatrixShape::M64NxK8    ? 8
                          : form.shape == MatrixShape::M64NxK16 ? 16
                                                                : 32;
  return {16 * warps, form.columns, k};
}

std::uint32_t Fragment::per_register() const {
  const std::uint32_t bytes = ptx::byte_size(type);
  return bytes < 4 ? 4 / bytes : 1;
}

Fragment::Place Fragment::place(std::uint32_t lane, std::uint32_t element) const {
  if (is_wmma) {
    const std::uint32_t number = (lane * per_lane() + element) % (rows * cols);
    return {number / cols, number % cols};
  }
  const std::uint32_t group = lane / 4;
  const std::uint32_t member = lane % 4;
  if (role == Role::C) {
    return {group + 8 * (element / 2), member * 2 + element % 2};
  }
  const std::uint32_t width = per_register();
  const std::uint32_t part = element / width;
  const std::uint32_t along = member * width + element % width;  // k within a part
  if (role == Role::B) {
    return {part * 4 * width + along, group};
  }
  const bool tall = rows == 16;
  return {group + (tall ? 8 * (part % 2) : 0), (tall ? part / 2 : part) * 4 * width + along};
}

Fragment fragment_of(const ptx::Instruction& i, const ptx::MatrixForm& form,
                     std::uint32_t operand) {
  const TileShape shape = tile_shape(form.shape);
  Fragment fragment;
  fragment.role = role_of(i, operand);
  fragment.type = element_type(i, form, operand);
  fragment.rows = fragment.role == Role::B ? shape.k : shape.m;
  fragment.cols = fragment.role == Role::A ? shape.k : shape.n;
  fragment.registers = form.group_sizes[operand];
  fragment.is_wmma = i.op != ptx::Opcode::MmaSync;
  return fragment;
}

Fragment tf32_fragment(Role role) {
  const TileShape shape = tile_shape(MatrixShape::M16N8K8);
  Fragment fragment;
  fragment.role = role;
  fragment.type = role == Role::C ? Type::F32 : Type::TF32;
  fragment.rows = role == Role::B ? shape.k : shape.m;
  fragment.cols = role == Role::A ? shape.k : shape.n;
  fragment.registers = fragment.rows * fragment.cols / kLanes;
  return fragment;
}

}  // namespace tilestep::simt
