// How the elements of a tile lie in the registers of a warp's lanes.
#pragma once

#include "ptx/model/instruction.h"

#include <cstdint>

namespace tilestep::simt {

struct TileShape {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
};
[[nodiscard]] TileShape tile_shape(ptx::MatrixShape shape);
// Of wgmma: what so many of the four warps multiply, each 16 rows.
[[nodiscard]] TileShape warpgroup_shape(const ptx::MatrixForm& form, std::uint32_t warps);

// Which matrix of D = A · B + C.
enum class Role : std::uint8_t { A, B, C };

// One fragment: a tile spread over 32 lanes.
struct Fragment {
  Role role = Role::A;
  ptx::Type type = ptx::Type::F16;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t registers = 0;  // of each lane
  // mma.sync's layouts are PTX's (9.7.14.5, "Matrix Fragments for mma"). Those of wmma are not
  // specified; here elements follow each other row by row, lane by lane, over and over if there are
  // more places than elements.
  bool is_wmma = false;

  struct Place {
    std::uint32_t row = 0;
    std::uint32_t col = 0;
  };
  [[nodiscard]] std::uint32_t per_register() const;
  [[nodiscard]] std::uint32_t per_lane() const { return registers * per_register(); }
  [[nodiscard]] Place place(std::uint32_t lane, std::uint32_t element) const;
};

// A fragment by its number among the operands: D, A, B, C of a multiplication; the only one of
// wmma.load, the second operand of wmma.store.
[[nodiscard]] Fragment fragment_of(const ptx::Instruction& i, const ptx::MatrixForm& form,
                                   std::uint32_t operand);
// Of mma.sync's m16n8k8 on TF32. A warp's part of wgmma.m64nNk8 is such pieces, 8 columns each,
// side by side.
[[nodiscard]] Fragment tf32_fragment(Role role);

}  // namespace tilestep::simt
