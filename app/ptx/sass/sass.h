// Machine code (SASS) → its memory accesses with their widths, and what its products read.
//
// What ptxas makes of PTX shows here: loads of neighbouring words that became one wide load, say.
// From compute capability 7.0 on an instruction is 128 bits. The encoding is not documented; the
// fields that are read were found with nvdisasm (CUDA Binary Utilities), and are the same from 7.5
// to 12.1 but for the width of asynchronous copies:
//
//   bits 0–8    the operation, whatever form its operands have
//   bits 12–15  the predicate: its number and whether it is negated; 7 is "always"
//   bits 73–75  the width of an access: 8, 8 (signed), 16, 16 (signed), 32, 64, 128 bits
//
// Pure: bytes in, counts out.
#pragma once

#include "ptx/sass/cubin.h"
#include "ptx/sass/register_ports.h"

#include <cstdint>
#include <vector>

namespace tilestep::ptx {

enum class SassKind {
  SharedLoad,    // LDS
  SharedStore,   // STS
  SharedAtomic,  // ATOMS
  MatrixLoad,    // LDSM: ldmatrix
  GlobalLoad,    // LDG
  GlobalStore,   // STG
  GlobalAtomic,  // ATOMG, RED
  AsyncCopy,     // LDGSTS: cp.async
  GenericLoad,   // LD
  GenericStore,  // ST
  LocalLoad,     // LDL
  LocalStore,    // STL
};

struct SassAccess {
  std::uint32_t offset = 0;  // bytes from the start of the code
  SassKind kind = SassKind::SharedLoad;
  int bits = 0;             // a lane; of atomics 0: not read
  bool is_guarded = false;  // by a predicate
  bool is_never =
      false;  // by the predicate that never holds: padding that ptxas puts before LDGSTS

  friend bool operator==(const SassAccess&, const SassAccess&) = default;
};

struct Sass {
  std::uint32_t instructions = 0;    // the filling after the last one included
  std::uint32_t ffma = 0;            // float32 multiply-adds
  RegisterReads registers;           // of multiply-adds and products of matrices
  std::vector<SassAccess> accesses;  // as they stand in the code

  [[nodiscard]] std::uint32_t count(SassKind kind) const;
  [[nodiscard]] std::uint32_t count(SassKind kind, int bits) const;
};

// Precondition: kernel.architecture is at least 70.
[[nodiscard]] Sass read_sass(const CubinKernel& kernel);

}  // namespace tilestep::ptx
