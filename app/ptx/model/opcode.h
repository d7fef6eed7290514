// Opcodes of PTX and their traits: the table for analyses of control flow, of registers and of
// memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace tilestep::ptx {

// In the manual's order (PTX ISA 9.0, chapter 9). `Unknown` is an instruction that raises a finding
// if it would execute.
enum class Opcode : std::uint8_t {
  Unknown,
  // integer
  Add,
  Sub,
  Mul,
  Mad,
  Mul24,
  Mad24,
  Sad,
  Div,
  Rem,
  Abs,
  Neg,
  Min,
  Max,
  Popc,
  Clz,
  Bfind,
  Fns,
  Brev,
  Bfe,
  Bfi,
  Szext,
  Bmsk,
  Dp4a,
  Dp2a,
  AddC,
  SubC,
  MadC,
  // floating point (add, sub, mul, div, abs, neg, min, max share the integer names)
  Testp,
  Copysign,
  Fma,
  Rcp,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Lg2,
  Ex2,
  Tanh,
  // comparison, selection, logic, shift
  Set,
  Setp,
  Selp,
  Slct,
  And,
  Or,
  Xor,
  Not,
  Cnot,
  Lop3,
  Shf,
  Shl,
  Shr,
  // data movement
  Mov,
  Shfl,
  Prmt,
  Ld,
  Ldu,
  St,
  Prefetch,
  Isspacep,
  Cvta,
  Cvt,
  Mapa,
  Getctarank,
  CpAsync,
  CpAsyncCommit,
  CpAsyncWait,
  CpAsyncMbarrier,
  BulkCopy,        // cp.async.bulk
  BulkTensorCopy,  // cp.async.bulk.tensor
  BulkCommit,
  BulkWait,
  // control
  Bra,
  BrxIdx,
  Call,
  Ret,
  Exit,
  // parallel synchronization
  Bar,
  BarWarp,
  Membar,
  Fence,
  FenceProxy,  // fence.proxy.async
  Atom,
  Red,
  Vote,
  Match,
  Activemask,
  Redux,
  Griddepcontrol,
  Elect,
  Mbarrier,
  // matrix
  MmaSync,
  Ldmatrix,
  Stmatrix,
  Movmatrix,
  WmmaLoad,
  WmmaStore,
  WmmaMma,
  WgmmaMma,  // wgmma.mma_async
  WgmmaFence,
  WgmmaCommit,
  WgmmaWait,
  // video, misc
  Vabsdiff4,
  Brkpt,
  Nanosleep,
  Pmevent,
  Setmaxnreg,
  Trap,
  Alloca,
  Stacksave,
  Stackrestore,
  // textures and surfaces (parsed; executing them is a finding)
  Tex,
  Suld,
  Sust,
};

// Properties of an opcode that hold for all of its modifiers.
enum OpcodeTrait : std::uint8_t {
  kComputes = 1,     // writes registers from its operands, and continues with the next instruction
  kReadsCarry = 2,   // … and from the carry of the previous instruction
  kIsFloatMath = 4,  // on floats: may produce a NaN from numbers
  kReadsLanes = 8,   // the result depends on the operands of all lanes of the warp
  kMultipliesTiles = 16,
  kIsUnit = 32,     // starts a unit that works concurrently with the threads, or waits for one
  kJumps = 64,      // the next instruction need not be the following one
  kEndsPath = 128,  // without a guard, the following instruction is not reached from here
};

inline constexpr auto kOpcodeTraits = [] {
  using O = Opcode;
  std::array<std::uint8_t, static_cast<std::size_t>(O::Sust) + 1> traits{};
  const auto mark = [&](OpcodeTrait trait, std::initializer_list<Opcode> opcodes) {
    for (const Opcode op : opcodes) {
      auto& known = traits[static_cast<std::size_t>(op)];
      known = static_cast<std::uint8_t>(known | trait);
    }
  };
  mark(kComputes,
       {O::Add,   O::Sub,  O::Mul,  O::Mad,   O::Mul24,    O::Mad24, O::Sad,  O::Div,
        O::Rem,   O::Abs,  O::Neg,  O::Min,   O::Max,      O::Popc,  O::Clz,  O::Bfind,
        O::Fns,   O::Brev, O::Bfe,  O::Bfi,   O::Szext,    O::Bmsk,  O::Dp4a, O::Dp2a,
        O::AddC,  O::SubC, O::MadC, O::Testp, O::Copysign, O::Fma,   O::Rcp,  O::Sqrt,
        O::Rsqrt, O::Sin,  O::Cos,  O::Lg2,   O::Ex2,      O::Tanh,  O::Set,  O::Setp,
        O::Selp,  O::Slct, O::And,  O::Or,    O::Xor,      O::Not,   O::Cnot, O::Lop3,
        O::Shf,   O::Shl,  O::Shr,  O::Mov,   O::Prmt,     O::Cvta,  O::Cvt,  O::Vabsdiff4});
  mark(kReadsCarry, {O::AddC, O::SubC, O::MadC});
  mark(kIsFloatMath, {O::Add, O::Sub, O::Mul, O::Mad, O::Fma, O::Div, O::Rcp, O::Sqrt, O::Rsqrt,
                      O::Sin, O::Cos, O::Lg2, O::Ex2, O::Tanh});
  mark(kReadsLanes, {O::Shfl, O::Vote, O::Match, O::Redux, O::Elect, O::Activemask});
  mark(kMultipliesTiles, {O::MmaSync, O::WmmaMma, O::WgmmaMma});
  mark(kIsUnit, {O::Mbarrier, O::CpAsyncMbarrier, O::BulkCopy, O::BulkTensorCopy, O::BulkCommit,
                 O::BulkWait, O::FenceProxy, O::MmaSync, O::WmmaMma, O::WgmmaMma, O::WgmmaFence,
                 O::WgmmaCommit, O::WgmmaWait});
  mark(kJumps, {O::Bra, O::BrxIdx, O::Call, O::Ret, O::Exit});
  mark(kEndsPath, {O::Bra, O::BrxIdx, O::Ret, O::Exit, O::Trap});
  return traits;
}();

[[nodiscard]] constexpr bool has(Opcode op, OpcodeTrait trait) {
  return (kOpcodeTraits[static_cast<std::size_t>(op)] & trait) != 0;
}

// Whether it reads, computes and writes in one access.
[[nodiscard]] constexpr bool is_atomic(Opcode op) {
  return op == Opcode::Atom || op == Opcode::Red;
}

// ld, st, atom, red: accesses at the lane's own address.
[[nodiscard]] constexpr bool is_memory(Opcode op) {
  return op == Opcode::Ld || op == Opcode::St || is_atomic(op);
}

}  // namespace tilestep::ptx
