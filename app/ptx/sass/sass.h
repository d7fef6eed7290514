// Machine code (SASS) → its memory accesses with their widths, and the registers that its products
// read.
//
// This shows how ptxas translates PTX, such as loads of adjacent words that became one wide load.
// From compute capability 7.0 on an instruction is 128 bits. The encoding is not documented. The
// fields used here were found with nvdisasm (CUDA Binary Utilities), and are the same from 7.5 to
// 12.1 except for the width of asynchronous copies:
//
//   bits 0–8    the operation, whatever form its operands have
//   bits 12–15  the predicate: its number and whether it is negated; 7 is "always"
//   bits 73–75  the width of an access: 8, 8 (signed), 16, 16 (signed), 32, 64, 128 bits
//
// Pure: bytes in, counts out.
#pragma once

#include "problem/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::ptx {

inline constexpr std::size_t kSassBytes = 16;  // of an instruction, from compute capability 7.0 on

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

// The number of registers that the products of machine code (SASS) read, and the limit of the two
// banks.
//
// The registers of a scheduler are in two banks, those with even and those with odd numbers (Jia,
// Maggioni, Staiger and Scarpazza 2018, "Dissecting the NVIDIA Volta GPU Architecture via
// Microbenchmarking", section 3.1). A float32 multiply-add has three operands, a product of
// matrices (HMMA) has ten registers. An operand that is marked `.reuse` is kept for the next
// instruction of its kind, which then need not read it. The fields were found with nvdisasm, like
// those above:
//
//   bits 9–11     the form: 1 three registers; 2, 3, 7 the third operand is none; 4, 5, 6 the
//                 second
//   bits 24–31    the first operand; 255: zero, which nobody reads
//   bits 32–39    the second one of form 1
//   bits 64–71    the third one; of forms 2, 3, 7 the second
//   bits 122–124  whether the first, second and third operand is kept
//
// Pure: bytes in, numbers out.

// Reads of a warp that the two banks of a scheduler serve in a clock. Not documented: a fit of
// docs/insight/model.md, "Register ports".
inline constexpr double kReadsInAClock = 2.0;

// Each read is of all lanes of a warp.
struct RegisterReads {
  std::uint32_t products = 0;         // FFMA: float32 multiply-adds
  std::uint32_t matrix_products = 0;  // HMMA
  // Reads of multiply-adds.
  std::uint32_t even = 0;  // from the bank of even registers
  std::uint32_t odd = 0;
  std::uint32_t kept = 0;  // operands that the previous instruction has kept
  // Reads of matrix products, counted as 16×8 by 8 of TF32, or 16×8 by 16 of 16 bits, with sums of
  // float: four registers, two, and four for the sums.
  std::uint32_t of_matrices = 0;

  // Clocks that the reads take beyond one per product, if they are distributed evenly.
  [[nodiscard]] double waits() const;
};

// Processes instructions in order. Precondition: compute capability 7.0 or later.
class RegisterReader {
 public:
  // `low` and `high`: an instruction's bits 0–63 and 64–127.
  void add(std::uint64_t low, std::uint64_t high);
  [[nodiscard]] const RegisterReads& reads() const { return reads_; }

 private:
  static constexpr std::uint32_t kNone = 255;  // RZ: its zero is not read
  using Operands = std::array<std::uint32_t, 3>;

  // The operands that have to be read; keeps those that are marked.
  std::array<bool, 3> are_read(const Operands& operands, std::uint64_t high, bool matrices);

  RegisterReads reads_;
  Operands kept_{kNone, kNone, kNone};
  bool kept_of_matrices_ = false;
};

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
  int bits = 0;             // per lane; 0 for atomics: not read
  bool is_guarded = false;  // by a predicate
  bool is_never =
      false;  // by the predicate that is never true: padding that ptxas inserts before LDGSTS

  friend bool operator==(const SassAccess&, const SassAccess&) = default;
};

struct Sass {
  std::uint32_t instructions = 0;    // includes the filling after the last one
  std::uint32_t ffma = 0;            // float32 multiply-adds
  RegisterReads registers;           // of multiply-adds and products of matrices
  std::vector<SassAccess> accesses;  // in the order of the code

  [[nodiscard]] std::uint32_t count(SassKind kind) const;
};

// Precondition: kernel.architecture is at least 70.
[[nodiscard]] Sass read_sass(const CubinKernel& kernel);

// Machine code as text, as nvdisasm (CUDA Binary Utilities) writes it: `nvdisasm -g -c`.

struct SassListing {
  std::string text;                  // instructions and labels, without directives
  std::vector<std::uint32_t> lines;  // source line of each line of `text`; 0: none
};

// `source_name`: the file whose lines count; instructions of headers have none.
[[nodiscard]] SassListing read_listing(std::string_view output, std::string_view source_name);

}  // namespace tilestep::ptx
