// A cubin, the ELF file of machine code that NVRTC and ptxas make → the resources of one kernel.
//
// The layout is NVIDIA's own and not documented; the parts used here were found with `cuobjdump
// -elf` (CUDA Binary Utilities) and are the same in the cubins of CUDA 13 for 7.5 to 12.1:
//
//   .text.<symbol>        the code
//   .nv.shared.<symbol>   as large as the kernel's static shared memory. From 9.0 on it begins with
//                         what the system reserves in every block; a section .nv.shared.reserved.0
//                         says so
//   .nv.info              registers and stack frame of each function, by its index in .symtab
//   .nv.info.<symbol>     launch bounds and barriers
//
// Pure: bytes in, numbers out. Damaged bytes are an error, never more.
#pragma once

#include "problem/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ptx {

inline constexpr std::size_t kSassBytes = 16;  // of an instruction, from compute capability 7.0 on

// From 8.0 on the system reserves this much shared memory in every block (CUDA C++ Programming
// Guide, "Shared Memory" of compute capability 8.x and later).
inline constexpr std::uint32_t kReservedSharedBytes = 1024;

struct CubinKernel {
  int architecture = 0;                      // 90: compute capability 9.0
  std::uint32_t registers = 0;               // per thread
  std::uint32_t static_shared_bytes = 0;     // per block, without what the system reserves
  std::uint32_t local_bytes = 0;             // per thread: spills and local arrays
  std::uint32_t barriers = 0;                // named barriers: the highest number in use, plus 1
  std::optional<std::uint32_t> max_threads;  // per block, as __launch_bounds__ promises
  std::vector<std::byte> code;
  std::vector<std::byte> constants;  // the compiler's own: bank 2
  // Source line of each 16 bytes of code, in the kernel's own file; 0: none. Empty: not compiled
  // with -lineinfo.
  std::vector<std::uint32_t> lines;
};

// `symbol`: compile::Output::entry. Fails with a sentence if the bytes are not a cubin, or have no
// kernel of that name.
[[nodiscard]] Result<CubinKernel> read_cubin(const std::string& cubin, const std::string& symbol);

}  // namespace tilestep::ptx
