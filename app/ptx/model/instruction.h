// One PTX instruction, decoded once into a compact form. Opcode and modifier names follow the PTX
// ISA 9.0 manual. A `.`-modifier that neither changes what is computed nor orders memory (cache
// hints, .uni of a ret, .aligned of a vote) remains only in the text, which is for display.
#pragma once

#include "ptx/model/opcode.h"

#include <cstdint>

namespace tilestep::ptx {

enum class Type : std::uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
};
[[nodiscard]] std::uint32_t byte_size(Type type);  // Pred: 0
[[nodiscard]] bool is_float(Type type);            // of 16 bits or more
[[nodiscard]] bool is_signed(Type type);           // a signed integer

enum class Space : std::uint8_t { Generic, Global, Shared, Local, Const, Param, Reg };

enum class Rounding : std::uint8_t { None, Rn, Rz, Rm, Rp, Rni, Rzi, Rmi, Rpi, Rna, Approx, Full };

enum class Compare : std::uint8_t {
  None,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
};

enum class BoolOp : std::uint8_t { None, And, Or, Xor };

// Selects the variant of an opcode: half of a product, direction of a shift, kind of vote, shuffle,
// atomic or barrier.
enum class Mode : std::uint8_t {
  None,
  Lo,
  Hi,
  Wide,  // mul, mad
  Left,
  Right,
  LeftClamp,
  RightClamp,  // shf: .l/.r with .wrap or .clamp
  Up,
  Down,
  Bfly,
  Idx,  // shfl
  All,
  Any,
  Uni,
  Ballot,  // vote, match (All, Any)
  AtomAdd,
  AtomMin,
  AtomMax,
  AtomInc,
  AtomDec,
  AtomAnd,
  AtomOr,
  AtomXor,
  AtomExch,
  AtomCas,
  BarSync,
  BarArrive,
  BarRedPopc,
  BarRedAnd,
  BarRedOr,
  ToSpace,  // cvta.to
  F4e,
  B4e,
  Rc8,
  Ecl,
  Ecr,
  Rc16,  // prmt
  MbarInit,
  MbarInval,
  MbarArrive,
  MbarArriveDrop,
  MbarTestWait,
  MbarTryWait,
  MbarExpectTx,
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal,  // testp
  Wrap,       // szext, bmsk: without it .clamp
  Shiftamt,
  FragmentA,
  FragmentB,
  FragmentC,
  FragmentD,  // wmma.load, wmma.store
  MbarArriveExpectTx,
  MbarCompleteTx,
  MbarPendingCount,
};

enum InstructionFlag : std::uint16_t {
  kFtz = 1,
  kSat = 2,
  kMmio = 4,
  kCarryOut = 8,
  kNonCoherent = 16,
  kUniform = 32,  // bra.uni, call.uni; bar and barrier….aligned: all lanes of a warp at once
  kHasReturn = 64,
  kDestPred = 128,  // setp p|q, shfl d|p: a second destination is present
  kRelu = 256,
  kXorSign = 512,
  kNanResult = 1024,
  kTrans = 2048,
  kParity = 4096,       // mbarrier.test_wait.parity
  kNoIncrement = 8192,  // cp.async.mbarrier.arrive.noinc, mbarrier.arrive.noComplete
  kAbsolute = 16384,    // min.abs, max.abs
  kAccumulate = 32768,  // vabsdiff4 ….add
};

// The order of memory accesses that an instruction specifies (PTX ISA 9.0, "Memory Consistency
// Model"). None: unspecified, so the opcode's default applies (ld, st: Weak; atom, red: Relaxed).
enum class MemoryOrder : std::uint8_t {
  None,
  Weak,
  Relaxed,
  Acquire,
  Release,
  AcqRel,
  Sc,
  Volatile,  // as Relaxed at MemoryScope::Sys, and no access is omitted
};

// The threads that the order applies to. None: unspecified, so the opcode's default applies (atom,
// red: Gpu; mbarrier: Cta).
enum class MemoryScope : std::uint8_t { None, Cta, Cluster, Gpu, Sys };

// Shape of a warp-wide matrix operation: rows × columns × inner dimension of the tile.
enum class MatrixShape : std::uint8_t {
  None,
  M8N8,
  M8N8K4,
  M8N8K16,
  M8N32K16,
  M16N8K4,
  M16N8K8,
  M16N8K16,
  M16N8K32,
  M16N16K8,
  M16N16K16,
  M32N8K16,
  M64NxK8,  // wgmma: MatrixForm::columns
  M64NxK16,
  M64NxK32,
};

// Modifiers of wmma, mma and ldmatrix beyond those of an ordinary instruction
// (Function::matrix_forms).
struct MatrixForm {
  MatrixShape shape = MatrixShape::None;
  bool a_column_major = false;  // also: the one layout of wmma.load and wmma.store
  bool b_column_major = false;
  std::uint8_t count = 1;     // .x1 .x2 .x4
  std::uint16_t columns = 0;  // of a wgmma's D: 8, 16 … 256
  Type types[4] = {Type::None, Type::None, Type::None, Type::None};  // in text order
  std::uint8_t group_sizes[4] = {0, 0, 0, 0};  // registers in each {…} of the operands

  friend bool operator==(const MatrixForm&, const MatrixForm&) = default;
};

enum class RegisterClass : std::uint8_t { Pred, B16, B32, B64, B128 };

// Register storage of a frame, structure-of-arrays over 32 lanes:
//   Pred            one 32-bit mask:        index = number of the mask
//   B16, B32        one word (32×4 bytes):  index = first word
//   B64             two words (32×8 bytes): index = first word, even
//   B128            four words
struct Register {
  RegisterClass cls = RegisterClass::B32;
  std::uint32_t index = 0;

  friend bool operator==(const Register&, const Register&) = default;
};

enum class SpecialRegister : std::uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Laneid,
  Warpid,
  Nwarpid,
  Smid,
  Nsmid,
  Gridid,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Clock,
  ClockHi,
  Clock64,
  Globaltimer,
  GlobaltimerLo,
  GlobaltimerHi,
  TotalSmemSize,
  DynamicSmemSize,
  ReservedSmemBegin,
  ReservedSmemEnd,
  ReservedSmemCap,
  ReservedSmemOffset,
  Envreg,
  WarpSize,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
};

enum class OperandKind : std::uint8_t {
  None,       // also '_', the sink
  Register,   // reg
  Immediate,  // value: the operand's bits, sign-extended to 64 from the width of its type here
              // (also floats: 0fBF800000 is -0x40800000); predicates: 0 or -1
  Special,    // index: SpecialRegister; value: its number (%envreg3, %reserved_smem_offset_1)
  Variable,   // index into Module::variables: its address in its own space, + value
  Param,      // index: byte offset in this function's parameter area (incoming), + value
  CallParam,  // index: byte offset in this frame's call area (outgoing arguments, returned values)
  Function,   // index into Module::functions: a code address (its value is kCodeWindow + index)
  Memory,     // [reg + value]: base register in `reg`, 64 or (shared, local, const) 32 bits wide
  MemoryVariable,  // [variable + value]
  MemoryAbsolute,  // [value]
};

struct Operand {
  OperandKind kind = OperandKind::None;
  bool negated = false;  // !p of a predicate source; -a is folded into immediates
  Register reg;
  std::uint32_t index = 0;
  std::int64_t value = 0;

  friend bool operator==(const Operand&, const Operand&) = default;
};

inline constexpr std::uint32_t kNoPc = 0xffffffffU;
inline constexpr std::uint32_t kNoGuard = 0xffffffffU;

// Operands are in Function::operands[first_operand .. first_operand + operand_count), in the order
// of the text with vectors flattened: `ld.v2.f32 {a, b}, [p]` has a, b, [p]; `dest_count` = 2.
// call: returned CallParam…, Function or Register (indirect), argument CallParam…. `mov.b64 {a, b},
// c` and `mov.b64 c, {a, b}` have `vector` = 2: the first part is the lowest bits.
//
// An instruction that is not Unknown has been checked: number and widths of its operands fit the
// opcode, and its modifiers are complete and consistent (app/ptx/text/opcode_form.h). Registers of
// ld, st and cvt may be wider than the type, all others have exactly its width.
struct Instruction {
  Opcode op = Opcode::Unknown;
  Type type = Type::None;         // of the operation; cvt, set, slct: of the destination
  Type source_type = Type::None;  // cvt, set, slct, mma
  Space space = Space::Generic;
  Rounding rounding = Rounding::None;
  Compare compare = Compare::None;
  BoolOp bool_op = BoolOp::None;
  Mode mode = Mode::None;
  std::uint8_t vector = 1;  // 1, 2, 4, 8
  std::uint8_t dest_count = 0;
  std::uint8_t operand_count = 0;
  bool guard_negated = false;
  std::uint16_t flags = 0;
  MemoryOrder order = MemoryOrder::None;  // ld, st, atom, red, fences, mbarrier
  MemoryScope scope = MemoryScope::None;
  std::uint32_t guard = kNoGuard;  // predicate mask index
  std::uint32_t first_operand = 0;
  std::uint32_t target =
      kNoPc;  // bra: pc in the same function; brx: index of Function::branch_tables;
              // matrix operations: index of Function::matrix_forms
  std::uint32_t reconverge = kNoPc;  // branches: immediate post-dominator; kNoPc: only at exit
  std::uint32_t line = 0;            // index into Function::lines
  std::uint32_t text = 0;            // 1-based line of the PTX text
  std::uint32_t text_offset = 0;     // its start in Module::text
};
static_assert(sizeof(Instruction) == 44);  // without padding

// Whether the destinations are also sources: wgmma adds to them (unless scale-d is false).
[[nodiscard]] constexpr bool reads_destinations(const Instruction& instruction) {
  return instruction.op == Opcode::WgmmaMma;
}

// Whether it acts on an mbarrier object.
[[nodiscard]] constexpr bool is_mbarrier(const Instruction& instruction) {
  return instruction.op == Opcode::Mbarrier || instruction.op == Opcode::CpAsyncMbarrier;
}
[[nodiscard]] constexpr bool arrives_at_mbarrier(Mode mode) {
  return mode == Mode::MbarArrive || mode == Mode::MbarArriveDrop ||
         mode == Mode::MbarArriveExpectTx;
}
[[nodiscard]] constexpr bool asks_mbarrier(Mode mode) {
  return mode == Mode::MbarTestWait || mode == Mode::MbarTryWait;
}

// Whether a load or store may be concurrent with accesses of other threads.
[[nodiscard]] constexpr bool is_strong(const Instruction& instruction) {
  const bool is_weak =
      instruction.order == MemoryOrder::None || instruction.order == MemoryOrder::Weak;
  return !is_weak || (instruction.flags & kMmio) != 0;
}

}  // namespace tilestep::ptx
