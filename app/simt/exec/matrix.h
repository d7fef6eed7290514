// Matrix operations of a whole warp (PTX ISA 9.0, 9.7.14): mma.sync, wmma, ldmatrix and their
// relatives. Detail::slots holds the registers of all fragments in the order of the text,
// Detail::matrix their shape.
#pragma once

#include "ptx/model/instruction.h"
#include "simt/exec/context.h"

#include <cstdint>
#include <span>

namespace tilestep::simt {

const Bound* multiply_matrices(Context& c, const Bound* i);     // mma.sync, wmma.mma
const Bound* load_rows_of_matrix(Context& c, const Bound* i);   // ldmatrix: Detail::addresses[0]
const Bound* store_rows_of_matrix(Context& c, const Bound* i);  // stmatrix
const Bound* transpose_matrix(Context& c, const Bound* i);      // movmatrix: in[0]
const Bound* load_fragment(Context& c, const Bound* i);         // wmma.load; in[1]: stride, or none
const Bound* store_fragment(Context& c, const Bound* i);        // wmma.store

// Whether the shape and the types of an instruction are simulated.
[[nodiscard]] bool knows_matrix(const ptx::Instruction& i, const ptx::MatrixForm& form);

// The mapping of a tile's elements to registers of a warp's lanes.

struct TileShape {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
};
[[nodiscard]] TileShape tile_shape(ptx::MatrixShape shape);
// wgmma: the part of the product that `warps` of the four warps compute, 16 rows each.
[[nodiscard]] TileShape warpgroup_shape(const ptx::MatrixForm& form, std::uint32_t warps);

// A matrix of D = A · B + C; C stands for D too.
enum class Role : std::uint8_t { A, B, C };

// One fragment: a tile distributed over 32 lanes.
struct Fragment {
  Role role = Role::A;
  ptx::Type type = ptx::Type::F16;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t registers = 0;  // per lane
  // mma.sync's layouts are PTX's (9.7.14.5, "Matrix Fragments for mma"). Those of wmma are not
  // specified. Here elements are in order, row by row, lane by lane, and repeat if there are more
  // places than elements.
  bool is_wmma = false;

  struct Cell {
    std::uint32_t row = 0;
    std::uint32_t col = 0;
  };
  [[nodiscard]] std::uint32_t per_register() const;
  [[nodiscard]] std::uint32_t per_lane() const { return registers * per_register(); }
  [[nodiscard]] Cell place(std::uint32_t lane, std::uint32_t element) const;
};

// A fragment by its index among the operands: D, A, B, C of a multiplication; the only one of
// wmma.load, the second operand of wmma.store.
[[nodiscard]] Fragment fragment_of(const ptx::Instruction& i, const ptx::MatrixForm& form,
                                   std::uint32_t operand);
// The fragment of mma.sync's m16n8k8 on TF32. A warp's part of wgmma.m64nNk8 consists of such
// pieces, 8 columns each, side by side.
[[nodiscard]] Fragment tf32_fragment(Role role);

// Results of a tensor core for TF32 operands: one element of D = A·B + C, bit for bit as on an
// H200. PTX ISA 9.0 (9.7.14, "mma") does not specify the order and the rounding of the additions;
// the rule was found by probing: docs/reports/tensor-units.md.

// A float's bits, split: mantissa · 2^(exponent - 23), subnormals with exponent -126.
struct FloatParts {
  enum class Kind : std::uint8_t { Finite, Infinity, NaN };
  Kind kind = Kind::Finite;
  bool negative = false;
  int exponent = 0;
  std::uint32_t mantissa = 0;
};
[[nodiscard]] FloatParts float_parts(std::uint32_t bits);

// As above, without the low 13 bits, which TF32 lacks.
[[nodiscard]] FloatParts tf32_parts(std::uint32_t bits);

// The bits of c + Σ a[k]·b[k], added in one operation. `a` and `b` have the same length, at most 32
// (larger sums could exceed 64 bits), and are made by tf32_parts.
[[nodiscard]] std::uint32_t tf32_sum(std::span<const FloatParts> a, std::span<const FloatParts> b,
                                     std::uint32_t c);

// wgmma (PTX ISA 9.0, 9.7.15): four warps multiply A (64×K) by B (K×N), with B in shared memory.
// Each warp executes the instruction separately and has 16 rows of A and D.
//
// TF32 only. D is computed when the instruction is issued. This is what a compiler's code observes:
// it waits before it uses the registers. The reads of shared memory are reported at that time, and
// again when the warp has waited (wgmma.wait_group), because the tensor core reads it at any time
// between.

// Detail::slots: D, then A if it is in registers; in[0]: descriptor of A or none; in[1]: of B;
// in[2]: predicate, whether to add to D; value: bit 0: A is negated, bit 1: B.
const Bound* multiply_warpgroup(Context& c, const Bound* i);
const Bound* commit_products(Context& c, const Bound* i);
const Bound* await_products(Context& c, const Bound* i);  // value: groups that may be under way

// Whether its types are simulated.
[[nodiscard]] bool knows_warpgroup(const ptx::MatrixForm& form);

// A matrix in shared memory with the layout of a descriptor (9.7.15.5.1): rows of 32 bytes of K, in
// groups of eight.
class SharedMatrix {
 public:
  explicit SharedMatrix(std::uint64_t descriptor);

  // The shared address of byte `byte` of row `row`.
  [[nodiscard]] std::uint64_t address(std::uint32_t row, std::uint32_t byte) const;
  [[nodiscard]] bool has_offset() const { return has_offset_; }  // a base offset: not simulated

 private:
  std::uint64_t start_ = 0;
  std::uint64_t leading_ = 0;  // bytes from a core matrix to the next one along K, without swizzle
  std::uint64_t stride_ = 0;   // bytes from eight rows to the next eight
  std::uint32_t swizzle_ = 0;  // bytes of a row: 0, 32, 64, 128
  bool has_offset_ = false;
};

}  // namespace tilestep::simt
