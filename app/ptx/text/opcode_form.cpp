#include "ptx/text/opcode_form.h"

#include "ptx/text/lexer.h"

#include <algorithm>
#include <iterator>

namespace tilestep::ptx {
namespace {

// `.lo.hi`, `.rn.rz`: a second word for the same field contradicts the first.
template <class Enum>
[[nodiscard]] bool set_once(Enum& field, std::uint16_t value) {
  const bool is_first = field == Enum::None;
  field = static_cast<Enum>(value);
  return is_first;
}

// Collects the modifiers of one word.
struct Decoder {
  Form form;
  std::uint32_t type_count = 0;
  bool layout_seen = false;

  [[nodiscard]] bool add_type(Type type) {
    if (type_count == std::size(form.matrix.types)) {
      return false;
    }
    form.matrix.types[type_count++] = type;
    if (type_count == 1) {
      form.prototype.type = type;
    } else if (type_count == 2) {
      form.prototype.source_type = type;
    }
    return true;
  }

  void add_layout(bool column_major) {
    (layout_seen ? form.matrix.b_column_major : form.matrix.a_column_major) = column_major;
    layout_seen = true;
  }

  [[nodiscard]] bool apply(const Modifier& modifier);
};

bool Decoder::apply(const Modifier& modifier) {
  Instruction& to = form.prototype;
  switch (modifier.field) {
    case ModifierField::Nothing:
      return true;
    case ModifierField::Type:
      return add_type(static_cast<Type>(modifier.value));
    case ModifierField::Space: {
      // A copy names two spaces, the destination's first.
      const bool first = to.space == Space::Generic;
      to.space = first ? static_cast<Space>(modifier.value) : to.space;
      return first || to.op == Opcode::CpAsync || to.op == Opcode::BulkCopy ||
             to.op == Opcode::BulkTensorCopy;
    }
    case ModifierField::Rounding:
      return set_once(to.rounding, modifier.value);
    case ModifierField::Compare:
      return set_once(to.compare, modifier.value);
    case ModifierField::BoolOp:
      return set_once(to.bool_op, modifier.value);
    case ModifierField::Mode:
      return set_once(to.mode, modifier.value);
    case ModifierField::Flag:
      to.flags = static_cast<std::uint16_t>(to.flags | modifier.value);
      return true;
    case ModifierField::Order:
      return set_once(to.order, modifier.value);
    case ModifierField::Scope:
      return set_once(to.scope, modifier.value);
    case ModifierField::Vector:
      to.vector = static_cast<std::uint8_t>(modifier.value);
      return true;
    case ModifierField::ShfClamp:
      to.mode = to.mode == Mode::Left ? Mode::LeftClamp : Mode::RightClamp;
      return true;
    case ModifierField::Shape:
      form.matrix.shape = static_cast<MatrixShape>(modifier.value);
      return true;
    case ModifierField::ColumnMajor:
    case ModifierField::RowMajor:
      add_layout(modifier.field == ModifierField::ColumnMajor);
      return true;
    case ModifierField::MatrixCount:
      form.matrix.count = static_cast<std::uint8_t>(modifier.value);
      return true;
    case ModifierField::CachePolicy:
      form.has_cache_policy = true;
      return true;
    case ModifierField::Warpgroup:
      form.matrix.columns = static_cast<std::uint16_t>(modifier.value / 64 * 8);
      form.matrix.shape = modifier.value % 64 == 8    ? MatrixShape::M64NxK8
                          : modifier.value % 64 == 16 ? MatrixShape::M64NxK16
                                                      : MatrixShape::M64NxK32;
      return true;
  }
  return false;
}

[[nodiscard]] bool type_count_fits(const Decoder& decoder, const OpcodeRow& row) {
  if (row.groups & kMatrixWord) {
    return decoder.type_count >= 1;
  }
  if (row.groups & kAnyWord) {
    return true;
  }
  const std::uint32_t wanted = row.types == 0                ? 0U
                               : (row.demands & kThreeTypes) ? 3U
                               : (row.demands & kTwoTypes)   ? 2U
                                                             : 1U;
  return decoder.type_count == wanted;
}

[[nodiscard]] bool rounds_to_integer(Rounding rounding) {
  return rounding >= Rounding::Rni && rounding <= Rounding::Rpi;
}

[[nodiscard]] bool rounds_to_float(Rounding rounding) {
  return (rounding >= Rounding::Rn && rounding <= Rounding::Rp) || rounding == Rounding::Rna;
}

// Whether the conversion has the rounding that its types require (PTX ISA 9.0, 9.7.9.21).
[[nodiscard]] bool cvt_is_complete(const Instruction& form) {
  const bool from_float = is_float(form.source_type);
  const bool to_float = is_float(form.type);
  if (!to_float) {
    return from_float ? rounds_to_integer(form.rounding) : form.rounding == Rounding::None;
  }
  if (!from_float) {
    return rounds_to_float(form.rounding);
  }
  if (form.type == form.source_type) {
    return form.rounding == Rounding::None || rounds_to_integer(form.rounding);
  }
  const bool widens = byte_size(form.type) > byte_size(form.source_type);
  return widens ? form.rounding == Rounding::None : rounds_to_float(form.rounding);
}

struct DemandRow {
  FormDemand demand;
  bool (*is_met)(const Form& form);
};
constexpr DemandRow kDemands[] = {
    {kThreeTypes, [](const Form& f) { return f.matrix.types[1] == f.matrix.types[2]; }},
    {kModeNeeded, [](const Form& f) { return f.prototype.mode != Mode::None; }},
    {kModeIfInteger,
     [](const Form& f) { return is_float(f.prototype.type) == (f.prototype.mode == Mode::None); }},
    {kNoWide, [](const Form& f) { return f.prototype.mode != Mode::Wide; }},
    {kNoWide64,
     [](const Form& f) {
       return f.prototype.mode != Mode::Wide || byte_size(f.prototype.type) <= 4;
     }},
    {kCompareNeeded, [](const Form& f) { return f.prototype.compare != Compare::None; }},
    {kSpaceNeeded, [](const Form& f) { return f.prototype.space != Space::Generic; }},
    {kRoundingNeeded, [](const Form& f) { return f.prototype.rounding != Rounding::None; }},
    {kRoundingIfFloat,
     [](const Form& f) {
       return is_float(f.prototype.type) == (f.prototype.rounding != Rounding::None);
     }},
    {kRoundingIfInexact, [](const Form& f) { return cvt_is_complete(f.prototype); }},
};

// Whether the form has everything that its row demands.
[[nodiscard]] bool is_complete(const Form& form, const OpcodeRow& row) {
  return std::all_of(std::begin(kDemands), std::end(kDemands), [&](const DemandRow& demand) {
    return (row.demands & demand.demand) == 0 || demand.is_met(form);
  });
}

// `mad.rn.f32` is fma under an older name (PTX ISA 9.0, 9.7.3.7).
void use_one_name(Form& form) {
  if (form.prototype.op == Opcode::Mad && is_float(form.prototype.type)) {
    form.prototype.op = Opcode::Fma;
    form.signature = "daaa";
  }
}

using T = Type;
using M = Mode;
using O = Opcode;

constexpr std::uint32_t types(std::initializer_list<Type> list) {
  std::uint32_t bits = 0;
  for (const Type type : list) {
    bits |= type_bit(type);
  }
  return bits;
}

constexpr std::uint32_t kInt32 = types({T::U32, T::S32});
constexpr std::uint32_t kInt3264 = kInt32 | types({T::U64, T::S64});
constexpr std::uint32_t kInts = kInt3264 | types({T::U16, T::S16});
constexpr std::uint32_t kSigned = types({T::S16, T::S32, T::S64});
constexpr std::uint32_t kF3264 = types({T::F32, T::F64});
constexpr std::uint32_t kHalfs = types({T::F16, T::F16x2, T::BF16, T::BF16x2});
constexpr std::uint32_t kFloats = kF3264 | kHalfs;
constexpr std::uint32_t kB32 = type_bit(T::B32);
constexpr std::uint32_t kB3264 = types({T::B32, T::B64});
constexpr std::uint32_t kBits = types({T::B16, T::B32, T::B64});
constexpr std::uint32_t kLogic = kBits | type_bit(T::Pred);
constexpr std::uint32_t kMemory = kBits | kInts | kF3264 | types({T::B8, T::U8, T::S8, T::B128});
constexpr std::uint32_t kCvtTypes = kInts | types({T::U8, T::S8}) | kFloats | type_bit(T::TF32);
constexpr std::uint32_t kAtomTypes = kB3264 | types({T::B16, T::B128}) | kInt3264 | kFloats;

constexpr std::uint64_t kArithmetic = kTypeWord | kRoundFloat | kFtzWord | kSatWord;
constexpr std::uint64_t kFunction = kTypeWord | kRoundFloat | kApprox | kFtzWord;
constexpr std::uint64_t kAccess = kTypeWord | kSpaceWord | kVectorWord | kOrdering | kCacheHint;
constexpr std::uint64_t kBarrier = kTypeWord | kAlignedWord;
constexpr std::uint64_t kAtomic =
    kTypeWord | kSpaceWord | kVectorWord | kOrdering | kCacheHint | kAtomWord | kNoFtzWord;
constexpr std::uint64_t kMbarrier = kTypeWord | kSpaceWord | kOrdering;
constexpr std::uint64_t kMatrix = kTypeWord | kSpaceWord | kSyncWord | kMatrixWord;

// Sorted by name (bytes).
constexpr OpcodeRow kOpcodes[] = {
    {"abs", O::Abs, M::None, kTypeWord | kFtzWord, kSigned | kFloats, "da"},
    {"activemask", O::Activemask, M::None, kTypeWord, kB32, "d"},
    {"add", O::Add, M::None, kArithmetic | kCarry, kInts | kFloats, "daa"},
    {"addc", O::AddC, M::None, kTypeWord | kCarry, kInt3264, "daa"},
    {"alloca", O::Alloca, M::None, kTypeWord, types({T::U32, T::U64}), "dau?"},
    {"and", O::And, M::None, kTypeWord, kLogic, "daa"},
    {"atom", O::Atom, M::None, kAtomic, kAtomTypes, "dMaa?", kModeNeeded},
    {"bar.arrive", O::Bar, M::BarArrive, kBarrier, 0, "uu", 0, kUniform},
    {"bar.cta.arrive", O::Bar, M::BarArrive, kBarrier, 0, "uu", 0, kUniform},
    {"bar.cta.red", O::Bar, M::None, kBarrier | kBarRedWord, types({T::U32, T::Pred}), "duu?p",
     kModeNeeded, kUniform},
    {"bar.cta.sync", O::Bar, M::BarSync, kBarrier, 0, "uu?", 0, kUniform},
    {"bar.red", O::Bar, M::None, kBarrier | kBarRedWord, types({T::U32, T::Pred}), "duu?p",
     kModeNeeded, kUniform},
    {"bar.sync", O::Bar, M::BarSync, kBarrier, 0, "uu?", 0, kUniform},
    {"bar.warp", O::BarWarp, M::None, kSyncWord, 0, "u"},
    {"barrier.arrive", O::Bar, M::BarArrive, kBarrier, 0, "uu"},
    {"barrier.cta.arrive", O::Bar, M::BarArrive, kBarrier, 0, "uu"},
    {"barrier.cta.red", O::Bar, M::None, kBarrier | kBarRedWord, types({T::U32, T::Pred}), "duu?p",
     kModeNeeded},
    {"barrier.cta.sync", O::Bar, M::BarSync, kBarrier, 0, "uu?"},
    {"barrier.red", O::Bar, M::None, kBarrier | kBarRedWord, types({T::U32, T::Pred}), "duu?p",
     kModeNeeded},
    {"barrier.sync", O::Bar, M::BarSync, kBarrier, 0, "uu?"},
    {"bfe", O::Bfe, M::None, kTypeWord, kInt3264, "dauu"},
    {"bfi", O::Bfi, M::None, kTypeWord, kB3264, "daauu"},
    {"bfind", O::Bfind, M::None, kTypeWord | kShiftamtWord, kInt3264, "xa"},
    {"bmsk", O::Bmsk, M::None, kTypeWord | kWrapWord, kB32, "daa"},
    {"bra", O::Bra, M::None, kUniWord, 0, "*"},
    {"brev", O::Brev, M::None, kTypeWord, kB3264, "da"},
    {"brkpt", O::Brkpt, M::None, 0, 0, ""},
    {"brx.idx", O::BrxIdx, M::None, kUniWord, 0, "*"},
    {"call", O::Call, M::None, kUniWord, 0, "*"},
    {"clz", O::Clz, M::None, kTypeWord, kB3264, "xa"},
    {"cnot", O::Cnot, M::None, kTypeWord, kBits, "da"},
    {"copysign", O::Copysign, M::None, kTypeWord, kF3264, "daa"},
    {"cos", O::Cos, M::None, kFunction, type_bit(T::F32), "da", kRoundingNeeded},
    {"cp.async", O::CpAsync, M::None, kSpaceWord | kCacheHint, 0, "MMuU?"},
    {"cp.async.bulk", O::BulkCopy, M::None, kSpaceWord | kBulkWord | kCacheHint, 0, "MMuM?"},
    {"cp.async.bulk.commit_group", O::BulkCommit, M::None, 0, 0, ""},
    {"cp.async.bulk.tensor", O::BulkTensorCopy, M::None, kSpaceWord | kBulkWord | kCacheHint, 0,
     "TTT?"},
    {"cp.async.bulk.wait_group", O::BulkWait, M::None, kBulkWord, 0, "u"},
    {"cp.async.commit_group", O::CpAsyncCommit, M::None, 0, 0, ""},
    {"cp.async.mbarrier.arrive", O::CpAsyncMbarrier, M::None, kMbarrier | kNoIncWord,
     type_bit(T::B64), "M"},
    {"cp.async.wait_all", O::CpAsyncWait, M::All, 0, 0, ""},
    {"cp.async.wait_group", O::CpAsyncWait, M::None, 0, 0, "u"},
    {"cvt", O::Cvt, M::None, kArithmetic | kRoundInteger | kReluWord, kCvtTypes, "DSS?",
     kTwoTypes | kRoundingIfInexact},
    {"cvta", O::Cvta, M::None, kTypeWord | kSpaceWord | kToWord, types({T::U32, T::U64}), "dz",
     kSpaceNeeded},
    {"div", O::Div, M::None, kFunction, kInts | kF3264, "daa", kRoundingIfFloat},
    {"dp2a", O::Dp2a, M::None, kTypeWord | kMulPart, kInt32, "duuu",
     kTwoTypes | kModeNeeded | kNoWide},
    {"dp4a", O::Dp4a, M::None, kTypeWord, kInt32, "duuu", kTwoTypes},
    {"elect", O::Elect, M::None, kSyncWord, 0, "xQu"},
    {"ex2", O::Ex2, M::None, kFunction, type_bit(T::F32) | kHalfs, "da", kRoundingNeeded},
    {"exit", O::Exit, M::None, 0, 0, ""},
    {"fence", O::Fence, M::None, kOrdering | kFenceWord | kSyncWord, 0, ""},
    {"fence.proxy.async", O::FenceProxy, M::None, kSpaceWord, 0, ""},
    {"fma", O::Fma, M::None, kArithmetic | kReluWord, kFloats, "daaa", kRoundingNeeded},
    {"fns", O::Fns, M::None, kTypeWord, kB32, "duuu"},
    {"getctarank", O::Getctarank, M::None, kTypeWord | kSpaceWord, types({T::U32, T::U64}), "xz"},
    {"griddepcontrol", O::Griddepcontrol, M::None, kAnyWord, 0, ""},
    {"isspacep", O::Isspacep, M::None, kSpaceWord, 0, "Pz", kSpaceNeeded},
    {"ld", O::Ld, M::None, kAccess | kNcWord, kMemory, "DM"},
    {"ldmatrix", O::Ldmatrix, M::None, kMatrix | kMatrixCount, type_bit(T::B16), "vM"},
    {"ldu", O::Ldu, M::None, kAccess, kMemory, "DM"},
    {"lg2", O::Lg2, M::None, kFunction, type_bit(T::F32), "da", kRoundingNeeded},
    {"lop3", O::Lop3, M::None, kTypeWord, kB32, "daaau"},
    {"mad", O::Mad, M::None, kArithmetic | kMulPart | kCarry, kInts | kF3264, "waan",
     kModeIfInteger | kNoWide64 | kRoundingIfFloat},
    {"mad24", O::Mad24, M::None, kTypeWord | kMulPart | kSatWord, kInt32, "daaa",
     kModeNeeded | kNoWide},
    {"madc", O::MadC, M::None, kTypeWord | kMulPart | kCarry, kInt3264, "daaa",
     kModeNeeded | kNoWide},
    {"mapa", O::Mapa, M::None, kTypeWord | kSpaceWord, types({T::U32, T::U64}), "dzu"},
    {"match", O::Match, M::None, kTypeWord | kSyncWord | kMatchWord, kB3264, "xQ?au", kModeNeeded},
    {"max", O::Max, M::None, kTypeWord | kFtzWord | kNanWord | kXorSignWord | kReluWord,
     kInts | kFloats, "daa"},
    {"mbarrier.arrive", O::Mbarrier, M::MbarArrive, kMbarrier | kNoCompleteWord, type_bit(T::B64),
     "dMu?"},
    {"mbarrier.arrive.expect_tx", O::Mbarrier, M::MbarArriveExpectTx, kMbarrier, type_bit(T::B64),
     "dMu"},
    {"mbarrier.arrive_drop", O::Mbarrier, M::MbarArriveDrop, kMbarrier | kNoCompleteWord,
     type_bit(T::B64), "dMu?"},
    {"mbarrier.complete_tx", O::Mbarrier, M::MbarCompleteTx, kMbarrier, type_bit(T::B64), "Mu"},
    {"mbarrier.expect_tx", O::Mbarrier, M::MbarExpectTx, kMbarrier, type_bit(T::B64), "Mu"},
    {"mbarrier.init", O::Mbarrier, M::MbarInit, kMbarrier, type_bit(T::B64), "Mu"},
    {"mbarrier.inval", O::Mbarrier, M::MbarInval, kMbarrier, type_bit(T::B64), "M"},
    {"mbarrier.pending_count", O::Mbarrier, M::MbarPendingCount, kTypeWord, type_bit(T::B64), "xa"},
    {"mbarrier.test_wait", O::Mbarrier, M::MbarTestWait, kMbarrier, type_bit(T::B64), "PMa"},
    {"mbarrier.test_wait.parity", O::Mbarrier, M::MbarTestWait, kMbarrier | kParityWord,
     type_bit(T::B64), "PMu", 0, kParity},
    {"mbarrier.try_wait", O::Mbarrier, M::MbarTryWait, kMbarrier, type_bit(T::B64), "PMau?"},
    {"mbarrier.try_wait.parity", O::Mbarrier, M::MbarTryWait, kMbarrier | kParityWord,
     type_bit(T::B64), "PMuu?", 0, kParity},
    {"membar", O::Membar, M::None, kOrdering | kMembarWord, 0, ""},
    {"min", O::Min, M::None, kTypeWord | kFtzWord | kNanWord | kXorSignWord | kReluWord,
     kInts | kFloats, "daa"},
    {"mma", O::MmaSync, M::None, kMatrix | kSatWord,
     types({T::F16, T::F32, T::F64, T::S32, T::BF16, T::TF32, T::U8, T::S8}), "vvvv"},
    {"mov", O::Mov, M::None, kTypeWord, kLogic | kInts | kFloats | type_bit(T::B128), "*"},
    {"movmatrix", O::Movmatrix, M::None, kMatrix | kMatrixCount, type_bit(T::B16), "uu"},
    {"mul", O::Mul, M::None, kArithmetic | kMulPart, kInts | kFloats, "waa",
     kModeIfInteger | kNoWide64},
    {"mul24", O::Mul24, M::None, kTypeWord | kMulPart, kInt32, "daa", kModeNeeded | kNoWide},
    {"nanosleep", O::Nanosleep, M::None, kTypeWord, type_bit(T::U32), "a"},
    {"neg", O::Neg, M::None, kTypeWord | kFtzWord, kSigned | kFloats, "da"},
    {"not", O::Not, M::None, kTypeWord, kLogic, "da"},
    {"or", O::Or, M::None, kTypeWord, kLogic, "daa"},
    {"pmevent", O::Pmevent, M::None, 0, 0, "u"},
    {"popc", O::Popc, M::None, kTypeWord, kB3264, "xa"},
    {"prefetch", O::Prefetch, M::None, kSpaceWord | kPrefetchWord | kCacheHint, 0, "M"},
    {"prefetch.tensormap", O::Prefetch, M::None, kSpaceWord, 0, "M"},
    {"prefetchu", O::Prefetch, M::None, kPrefetchWord, 0, "M"},
    {"prmt", O::Prmt, M::None, kTypeWord | kPrmtWord, kB32, "duuu"},
    {"rcp", O::Rcp, M::None, kFunction, kF3264, "da", kRoundingNeeded},
    {"red", O::Red, M::None, kAtomic, kAtomTypes, "Ma", kModeNeeded},
    {"redux", O::Redux, M::None, kTypeWord | kSyncWord | kAtomWord, kInt32 | kB32, "dau",
     kModeNeeded},
    {"rem", O::Rem, M::None, kTypeWord, kInts, "daa"},
    {"ret", O::Ret, M::None, kUniWord, 0, ""},
    {"rsqrt", O::Rsqrt, M::None, kFunction, kF3264, "da", kRoundingNeeded},
    {"sad", O::Sad, M::None, kTypeWord, kInts, "daaa"},
    {"selp", O::Selp, M::None, kTypeWord, kBits | kInts | kF3264, "daap"},
    {"set", O::Set, M::None, kTypeWord | kCompareWord | kBoolWord | kFtzWord,
     kInt32 | kFloats | types({T::U16, T::S16}), "dssp?", kTwoTypes | kCompareNeeded},
    {"setmaxnreg.dec", O::Setmaxnreg, M::Down, kTypeWord | kSyncWord, type_bit(T::U32), "u"},
    {"setmaxnreg.inc", O::Setmaxnreg, M::Up, kTypeWord | kSyncWord, type_bit(T::U32), "u"},
    {"setp", O::Setp, M::None, kTypeWord | kCompareWord | kBoolWord | kFtzWord,
     kBits | kInts | kFloats, "PQ?aap?", kCompareNeeded},
    {"shf", O::Shf, M::None, kTypeWord | kShfDirection | kShfClamp, kB32, "duuu", kModeNeeded},
    {"shfl", O::Shfl, M::None, kTypeWord | kSyncWord | kShflWord, kB32, "dQ?auuu", kModeNeeded},
    {"shl", O::Shl, M::None, kTypeWord, kBits, "dau"},
    {"shr", O::Shr, M::None, kTypeWord, kBits | kInts, "dau"},
    {"sin", O::Sin, M::None, kFunction, type_bit(T::F32), "da", kRoundingNeeded},
    {"slct", O::Slct, M::None, kTypeWord | kFtzWord, kBits | kInts | kF3264, "daas", kTwoTypes},
    {"sqrt", O::Sqrt, M::None, kFunction, kF3264, "da", kRoundingNeeded},
    {"st", O::St, M::None, kAccess, kMemory, "MA"},
    {"stackrestore", O::Stackrestore, M::None, kTypeWord, types({T::U32, T::U64}), "a"},
    {"stacksave", O::Stacksave, M::None, kTypeWord, types({T::U32, T::U64}), "d"},
    {"stmatrix", O::Stmatrix, M::None, kMatrix | kMatrixCount, type_bit(T::B16), "Mv"},
    {"sub", O::Sub, M::None, kArithmetic | kCarry, kInts | kFloats, "daa"},
    {"subc", O::SubC, M::None, kTypeWord | kCarry, kInt3264, "daa"},
    {"suld", O::Suld, M::None, kTypeWord | kAnyWord, 0, "*"},
    {"sust", O::Sust, M::None, kTypeWord | kAnyWord, 0, "*"},
    {"szext", O::Szext, M::None, kTypeWord | kWrapWord, kInt32, "dau"},
    {"tanh", O::Tanh, M::None, kFunction, type_bit(T::F32) | kHalfs, "da", kRoundingNeeded},
    {"testp", O::Testp, M::None, kTypeWord | kTestpWord, kF3264, "Pa", kModeNeeded},
    {"tex", O::Tex, M::None, kTypeWord | kAnyWord, 0, "*"},
    {"trap", O::Trap, M::None, 0, 0, ""},
    {"vabsdiff4", O::Vabsdiff4, M::None, kTypeWord | kSatWord | kAddWord, kInt32, "duuu",
     kThreeTypes},
    {"vote", O::Vote, M::None, kTypeWord | kSyncWord | kVoteWord, types({T::Pred, T::B32}), "dpu",
     kModeNeeded},
    {"wgmma.commit_group", O::WgmmaCommit, M::None, kSyncWord, 0, ""},
    {"wgmma.fence", O::WgmmaFence, M::None, kSyncWord, 0, ""},
    {"wgmma.mma_async", O::WgmmaMma, M::None, kMatrix | kWarpgroupWord,
     types({T::F16, T::F32, T::S32}), "vGlpu?u?u?u?"},
    {"wgmma.wait_group", O::WgmmaWait, M::None, kSyncWord, 0, "u"},
    {"wmma.load.a", O::WmmaLoad, M::FragmentA, kMatrix,
     types({T::F16, T::BF16, T::TF32, T::F64, T::S8, T::U8}), "vMu?"},
    {"wmma.load.b", O::WmmaLoad, M::FragmentB, kMatrix,
     types({T::F16, T::BF16, T::TF32, T::F64, T::S8, T::U8}), "vMu?"},
    {"wmma.load.c", O::WmmaLoad, M::FragmentC, kMatrix, types({T::F16, T::F32, T::F64, T::S32}),
     "vMu?"},
    {"wmma.mma", O::WmmaMma, M::None, kMatrix | kSatWord | kRoundFloat,
     types({T::F16, T::F32, T::F64, T::S32}), "vvvv"},
    {"wmma.store.d", O::WmmaStore, M::FragmentD, kMatrix, types({T::F16, T::F32, T::F64, T::S32}),
     "Mvu?"},
    {"xor", O::Xor, M::None, kTypeWord, kLogic, "daa"},
};

constexpr bool by_name(const OpcodeRow& a, const OpcodeRow& b) {
  return a.name < b.name;
}
static_assert(std::is_sorted(std::begin(kOpcodes), std::end(kOpcodes), by_name));

}  // namespace

Form decode_opcode(std::string_view word) {
  const OpcodeRow* const row = find_opcode(word);
  if (row == nullptr) {
    return {};
  }
  Decoder decoder;
  decoder.form.signature = row->signature;
  decoder.form.prototype.op = row->op;
  decoder.form.prototype.mode = row->mode;
  decoder.form.prototype.flags = row->flags;
  std::string_view rest = word.substr(row->name.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('.', 1), rest.size());
    const Modifier* const modifier = find_modifier(rest.substr(1, end - 1), row->groups);
    const bool known = modifier != nullptr && decoder.apply(*modifier);
    if (!known && !(row->groups & kAnyWord)) {
      return {};
    }
    rest.remove_prefix(end);
  }
  if (!type_count_fits(decoder, *row) ||
      (row->types != 0 && !(row->types & type_bit(decoder.form.prototype.type)))) {
    return {};
  }
  use_one_name(decoder.form);
  decoder.form.has_matrix = (row->groups & kMatrixWord) != 0;
  return is_complete(decoder.form, *row) ? decoder.form : Form{};
}

std::span<const OpcodeRow> opcode_rows() {
  return kOpcodes;
}

const OpcodeRow* find_opcode(std::string_view word) {
  for (;;) {
    const OpcodeRow wanted{word, O::Unknown, M::None, 0, 0, {}, 0, 0};
    const auto* row = std::lower_bound(std::begin(kOpcodes), std::end(kOpcodes), wanted, by_name);
    if (row != std::end(kOpcodes) && row->name == word) {
      return row;
    }
    const std::size_t dot = word.rfind('.');
    if (dot == std::string_view::npos) {
      return nullptr;
    }
    word = word.substr(0, dot);
  }
}

const OpcodeRow* opcode_row(const Instruction& instruction) {
  // Prefers the row whose name implies most of the instruction: its mode, its flags.
  const auto rank = [&](const OpcodeRow& row) {
    if (row.op != instruction.op || (row.flags & ~instruction.flags) != 0 ||
        (row.mode != Mode::None && row.mode != instruction.mode)) {
      return -1;
    }
    return (row.mode != Mode::None ? 2 : 0) + (row.flags != 0 ? 1 : 0);
  };
  const OpcodeRow* best = nullptr;
  for (const OpcodeRow& row : kOpcodes) {
    const int better = best == nullptr ? rank(row) + 1 : rank(row) - rank(*best);
    if (better > 0 || (better == 0 && best != nullptr && row.name.size() < best->name.size())) {
      best = &row;
    }
  }
  return best;
}

}  // namespace tilestep::ptx
