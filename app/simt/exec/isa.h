// Executors for one instruction set.
//
// Every isa_*.cpp that computes on lanes is compiled unchanged, for any x86-64 and for WebAssembly,
// and on x86-64 once more with TILESTEP_SIMT_AVX2 for processors with AVX2 and FMA. Only code
// between TILESTEP_BEGIN_ISA and TILESTEP_END_ISA uses the newer instructions. An inline function
// of a library never does, because the linker keeps one copy of those for both.
#pragma once

#include "simt/state/bound.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#if defined(TILESTEP_SIMT_AVX2)
#define TILESTEP_ISA avx2
#if defined(__clang__)
#define TILESTEP_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define TILESTEP_BEGIN_ISA              \
  TILESTEP_PRAGMA(clang attribute push( \
      __attribute__((target("avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c"))), apply_to = function))
#define TILESTEP_END_ISA _Pragma("clang attribute pop")
#else
#define TILESTEP_BEGIN_ISA \
  _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c\")")
#define TILESTEP_END_ISA _Pragma("GCC pop_options")
#endif
#else
#define TILESTEP_ISA baseline
#define TILESTEP_BEGIN_ISA
#define TILESTEP_END_ISA
#endif

namespace tilestep::simt {

// Sequences of instructions that are executed in one pass (isa_fused.cpp, bind_fused.cpp).

// Each executes several Bounds, starting with its argument, and returns the next.
struct FusedExecutors {
  Executor element_address = nullptr;    // cvt.s64.s32, shl.b64, add.s64
  Executor move_and_add = nullptr;       // mov.b64, add.u64 of the moved value
  Executor multiply_then_add = nullptr;  // mul.f32, add.f32
  Executor move_twice = nullptr;         // mov.b32, mov.b32
  Executor move_twice_and_jump = nullptr;
  // ld.shared.f32, ld.shared.f32, fma.f32, and several of these (Bound::chain); may be null.
  Executors load_two_and_multiply{};
  Executors product_chain{};
};

// The rule of matrix.h for a whole row of D, for operands and sums of usual size.

inline constexpr std::size_t kTf32Depth = 8;  // products of one sum

// Factors by k, so that the same k of all lines is contiguous: value = mantissa · 2^(exponent -
// 10), with a signed 11-bit mantissa.
struct Tf32Lines {
  explicit Tf32Lines(std::size_t line_count);
  void set(std::size_t line, std::size_t k, std::uint32_t bits);

  std::size_t lines = 0;
  std::vector<std::int32_t> exponents;  // [k][line]
  std::vector<std::int32_t> mantissas;
  std::vector<std::uint8_t> odd;  // by line: contains an infinity or NaN
};

// One line of A, and `count` lines of B (a multiple of 8): d = c + the sum of their products.
// Columns with `left` not 0 are left to tf32_sum().
struct Tf32Row {
  std::array<std::int32_t, kTf32Depth> exponents{};
  std::array<std::int32_t, kTf32Depth> mantissas{};
  const Tf32Lines* b = nullptr;
  const std::uint32_t* c = nullptr;
  std::uint32_t* d = nullptr;
  std::uint8_t* left = nullptr;
};
using AddTf32Row = void (*)(const Tf32Row& row);

// An executor and the bytes per lane of its operands: 4, 8, or 1 for a predicate's bit; 0: no such
// operand.
struct LaneExecutor {
  std::array<Executor, 2> run{};  // all lanes, some lanes
  std::uint8_t dest = 0;
  std::array<std::uint8_t, 4> sources{};
};

using FindExecutor = std::optional<LaneExecutor> (*)(const ptx::Instruction&);

// A transfer between memory and a register by ld or st.
struct MemoryForm {
  ptx::Space space = ptx::Space::Generic;  // Reg: rows of the frame (parameters by name)
  std::uint32_t bytes = 4;                 // per element in memory
  bool sign_extend = false;
  std::uint32_t register_bytes = 4;  // 2, 4, 8
  std::uint32_t elements = 1;
};

// a·b + c, a·b − c, c − a·b, each rounded once.
enum class Contracted : std::uint8_t { ProductPlus, ProductMinus, MinusProduct };

// The executors for one instruction set. An operation without an executor is not simulated.
struct Isa {
  FindExecutor integer = nullptr;
  FindExecutor logic = nullptr;
  FindExecutor shift_by = nullptr;  // shl, shr by an immediate in Bound::value
  FindExecutor compare = nullptr;
  FindExecutor floating = nullptr;
  std::optional<LaneExecutor> (*convert)(const ptx::Instruction&, bool dest_is_long,
                                         bool source_is_long) = nullptr;
  Executors (*load)(const MemoryForm&) = nullptr;  // nullptr inside: no such form
  Executors (*store)(const MemoryForm&) = nullptr;
  FusedExecutors fused;
  std::array<std::array<LaneExecutor, 3>, 2> contracted;  // f32, f64; by Contracted
  AddTf32Row add_tf32_row = nullptr;
};

namespace baseline {
[[nodiscard]] Isa isa();
}
namespace avx2 {
[[nodiscard]] Isa isa();
}

// The best instruction set of this processor.
[[nodiscard]] Isa best_isa();

}  // namespace tilestep::simt
