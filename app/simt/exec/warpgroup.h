// wgmma (PTX ISA 9.0, 9.7.15): four warps multiply A (64×K) by B (K×N), which lies in shared
// memory. Each executes the instruction by itself and has 16 rows of A and D.
//
// TF32 only. D is computed where the instruction is issued, which is what a compiler's code shows:
// it waits before it touches the registers. Shared memory is told to be read there, and again where
// the warp has waited (wgmma.wait_group), for the tensor core reads it at any time between.
#pragma once

#include "simt/exec/context.h"

namespace tilestep::simt {

// Detail::slots: D, then A where it is in registers; in[0]: descriptor of A or none; in[1]: of B;
// in[2]: predicate, whether D is added to; value: bit 0: A is negated, bit 1: B.
const Bound* multiply_warpgroup(Context& c, const Bound* i);
const Bound* commit_products(Context& c, const Bound* i);
const Bound* await_products(Context& c, const Bound* i);  // value: groups that may be under way

// Whether its types are among those that are simulated.
[[nodiscard]] bool knows_warpgroup(const ptx::MatrixForm& form);

// A matrix in shared memory as a descriptor says it lies there (9.7.15.5.1): rows of 32 bytes of K,
// in groups of eight.
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
