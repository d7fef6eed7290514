#include "ptx/text/opcode_form.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ptx {
namespace {

using F = ModifierField;

template <class Enum>
constexpr std::uint16_t v(Enum value) {
  return static_cast<std::uint16_t>(value);
}

constexpr Modifier type(std::string_view word, Type value) {
  return {word, kTypeWord, F::Type, v(value)};
}
constexpr Modifier compare(std::string_view word, Compare value) {
  return {word, kCompareWord, F::Compare, v(value)};
}
constexpr Modifier mode(std::string_view word, std::uint64_t group, Mode value) {
  return {word, group, F::Mode, v(value)};
}
constexpr Modifier flag(std::string_view word, std::uint64_t group, InstructionFlag value) {
  return {word, group, F::Flag, v(value)};
}
constexpr Modifier space(std::string_view word, Space value) {
  return {word, kSpaceWord, F::Space, v(value)};
}
constexpr Modifier rounding(std::string_view word, std::uint64_t group, Rounding value) {
  return {word, group, F::Rounding, v(value)};
}
constexpr Modifier bool_op(std::string_view word, BoolOp value) {
  return {word, kBoolWord, F::BoolOp, v(value)};
}
constexpr Modifier order(std::string_view word, MemoryOrder value) {
  return {word, kOrdering, F::Order, v(value)};
}
constexpr Modifier scope(std::string_view word, MemoryScope value) {
  return {word, kOrdering, F::Scope, v(value)};
}
constexpr Modifier dropped(std::string_view word, std::uint64_t group) {
  return {word, group, F::Nothing, 0};
}
constexpr Modifier shape(std::string_view word, MatrixShape value) {
  return {word, kMatrixWord, F::Shape, v(value)};
}

// Sorted by word (bytes). A word has one row for each group in which it has a meaning.
constexpr Modifier kModifiers[] = {
    dropped("1d", kBulkWord),
    dropped("2d", kBulkWord),
    dropped("3d", kBulkWord),
    dropped("4d", kBulkWord),
    dropped("5d", kBulkWord),
    dropped("L1", kPrefetchWord),
    dropped("L2", kPrefetchWord),
    flag("NaN", kNanWord, kNanResult),
    flag("abs", kXorSignWord, kAbsolute),
    order("acq_rel", MemoryOrder::AcqRel),
    order("acquire", MemoryOrder::Acquire),
    flag("add", kAddWord, kAccumulate),
    mode("add", kAtomWord, Mode::AtomAdd),
    flag("aligned", kAlignedWord, kUniform),
    dropped("aligned", kSyncWord),
    mode("all", kMatchWord, Mode::All),
    mode("all", kVoteWord, Mode::All),
    bool_op("and", BoolOp::And),
    mode("and", kAtomWord, Mode::AtomAnd),
    mode("and", kBarRedWord, Mode::BarRedAnd),
    mode("any", kMatchWord, Mode::Any),
    mode("any", kVoteWord, Mode::Any),
    rounding("approx", kApprox, Rounding::Approx),
    type("b128", Type::B128),
    type("b16", Type::B16),
    type("b32", Type::B32),
    mode("b4e", kPrmtWord, Mode::B4e),
    type("b64", Type::B64),
    type("b8", Type::B8),
    mode("ballot", kVoteWord, Mode::Ballot),
    type("bf16", Type::BF16),
    type("bf16x2", Type::BF16x2),
    mode("bfly", kShflWord, Mode::Bfly),
    dropped("bulk_group", kBulkWord),
    dropped("ca", kCacheHint),
    mode("cas", kAtomWord, Mode::AtomCas),
    flag("cc", kCarry, kCarryOut),
    dropped("cg", kCacheHint),
    {"clamp", kShfClamp, F::ShfClamp, 0},
    dropped("clamp", kWrapWord),
    scope("cluster", MemoryScope::Cluster),
    {"col", kMatrixWord, F::ColumnMajor, 0},
    space("const", Space::Const),
    dropped("cs", kCacheHint),
    scope("cta", MemoryScope::Cta),
    dropped("cv", kCacheHint),
    mode("dec", kAtomWord, Mode::AtomDec),
    mode("down", kShflWord, Mode::Down),
    type("e4m3", Type::E4M3),
    type("e5m2", Type::E5M2),
    mode("ecl", kPrmtWord, Mode::Ecl),
    mode("ecr", kPrmtWord, Mode::Ecr),
    compare("eq", Compare::Eq),
    compare("equ", Compare::Equ),
    mode("exch", kAtomWord, Mode::AtomExch),
    type("f16", Type::F16),
    type("f16x2", Type::F16x2),
    type("f32", Type::F32),
    mode("f4e", kPrmtWord, Mode::F4e),
    type("f64", Type::F64),
    mode("finite", kTestpWord, Mode::Finite),
    flag("ftz", kFtzWord, kFtz),
    rounding("full", kApprox, Rounding::Full),
    compare("ge", Compare::Ge),
    compare("geu", Compare::Geu),
    {"gl", kMembarWord, F::Scope, v(MemoryScope::Gpu)},
    space("global", Space::Global),
    scope("gpu", MemoryScope::Gpu),
    compare("gt", Compare::Gt),
    compare("gtu", Compare::Gtu),
    compare("hi", Compare::Hi),
    mode("hi", kMulPart, Mode::Hi),
    compare("hs", Compare::Hs),
    mode("idx", kShflWord, Mode::Idx),
    mode("inc", kAtomWord, Mode::AtomInc),
    mode("infinite", kTestpWord, Mode::Infinite),
    mode("l", kShfDirection, Mode::Left),
    compare("le", Compare::Le),
    compare("leu", Compare::Leu),
    compare("lo", Compare::Lo),
    mode("lo", kMulPart, Mode::Lo),
    space("local", Space::Local),
    compare("ls", Compare::Ls),
    compare("lt", Compare::Lt),
    compare("ltu", Compare::Ltu),
    dropped("lu", kCacheHint),
    shape("m16n16k16", MatrixShape::M16N16K16),
    shape("m16n16k8", MatrixShape::M16N16K8),
    shape("m16n8k16", MatrixShape::M16N8K16),
    shape("m16n8k32", MatrixShape::M16N8K32),
    shape("m16n8k4", MatrixShape::M16N8K4),
    shape("m16n8k8", MatrixShape::M16N8K8),
    shape("m32n8k16", MatrixShape::M32N8K16),
    shape("m8n32k16", MatrixShape::M8N32K16),
    shape("m8n8", MatrixShape::M8N8),
    shape("m8n8k16", MatrixShape::M8N8K16),
    shape("m8n8k4", MatrixShape::M8N8K4),
    mode("max", kAtomWord, Mode::AtomMax),
    dropped("mbarrier::complete_tx::bytes", kBulkWord),
    dropped("mbarrier_init", kFenceWord),
    mode("min", kAtomWord, Mode::AtomMin),
    flag("mmio", kOrdering, kMmio),
    compare("nan", Compare::Nan),
    flag("nc", kNcWord, kNonCoherent),
    compare("ne", Compare::Ne),
    compare("neu", Compare::Neu),
    flag("noComplete", kNoCompleteWord, kNoIncrement),
    dropped("noftz", kNoFtzWord),
    flag("noinc", kNoIncWord, kNoIncrement),
    mode("normal", kTestpWord, Mode::Normal),
    mode("notanumber", kTestpWord, Mode::NotANumber),
    compare("num", Compare::Num),
    mode("number", kTestpWord, Mode::Number),
    bool_op("or", BoolOp::Or),
    mode("or", kAtomWord, Mode::AtomOr),
    mode("or", kBarRedWord, Mode::BarRedOr),
    space("param", Space::Param),
    space("param::entry", Space::Param),
    space("param::func", Space::Param),
    flag("parity", kParityWord, kParity),
    mode("popc", kBarRedWord, Mode::BarRedPopc),
    type("pred", Type::Pred),
    mode("r", kShfDirection, Mode::Right),
    mode("rc16", kPrmtWord, Mode::Rc16),
    mode("rc8", kPrmtWord, Mode::Rc8),
    dropped("read", kBulkWord),
    order("relaxed", MemoryOrder::Relaxed),
    order("release", MemoryOrder::Release),
    flag("relu", kReluWord, kRelu),
    rounding("rm", kRoundFloat, Rounding::Rm),
    rounding("rmi", kRoundInteger, Rounding::Rmi),
    rounding("rn", kRoundFloat, Rounding::Rn),
    rounding("rna", kRoundFloat, Rounding::Rna),
    rounding("rni", kRoundInteger, Rounding::Rni),
    {"row", kMatrixWord, F::RowMajor, 0},
    rounding("rp", kRoundFloat, Rounding::Rp),
    rounding("rpi", kRoundInteger, Rounding::Rpi),
    rounding("rz", kRoundFloat, Rounding::Rz),
    rounding("rzi", kRoundInteger, Rounding::Rzi),
    type("s16", Type::S16),
    type("s32", Type::S32),
    type("s64", Type::S64),
    type("s8", Type::S8),
    flag("sat", kSatWord, kSat),
    flag("satfinite", kMatrixWord, kSat),
    {"sc", kFenceWord, F::Order, v(MemoryOrder::Sc)},
    space("shared", Space::Shared),
    space("shared::cluster", Space::Shared),
    space("shared::cta", Space::Shared),
    mode("shiftamt", kShiftamtWord, Mode::Shiftamt),
    mode("subnormal", kTestpWord, Mode::Subnormal),
    dropped("sync", kSyncWord),
    scope("sys", MemoryScope::Sys),
    type("tf32", Type::TF32),
    dropped("tile", kBulkWord),
    mode("to", kToWord, Mode::ToSpace),
    flag("trans", kMatrixCount, kTrans),
    type("u16", Type::U16),
    type("u32", Type::U32),
    type("u64", Type::U64),
    type("u8", Type::U8),
    flag("uni", kUniWord, kUniform),
    mode("uni", kVoteWord, Mode::Uni),
    mode("up", kShflWord, Mode::Up),
    {"v2", kVectorWord, F::Vector, 2},
    {"v4", kVectorWord, F::Vector, 4},
    {"v8", kVectorWord, F::Vector, 8},
    order("volatile", MemoryOrder::Volatile),
    dropped("wb", kCacheHint),
    order("weak", MemoryOrder::Weak),
    mode("wide", kMulPart, Mode::Wide),
    dropped("wrap", kShfClamp),
    mode("wrap", kWrapWord, Mode::Wrap),
    dropped("wt", kCacheHint),
    {"x1", kMatrixCount, F::MatrixCount, 1},
    {"x2", kMatrixCount, F::MatrixCount, 2},
    {"x4", kMatrixCount, F::MatrixCount, 4},
    bool_op("xor", BoolOp::Xor),
    mode("xor", kAtomWord, Mode::AtomXor),
    flag("xorsign", kXorSignWord, kXorSign),
};

constexpr bool by_word(const Modifier& a, const Modifier& b) {
  return a.word < b.word;
}
static_assert(std::is_sorted(std::begin(kModifiers), std::end(kModifiers), by_word));

constexpr Modifier kCachePolicy{"L2::cache_hint", kCacheHint, F::CachePolicy, 0};
constexpr Modifier kCacheLevel{"L1::… L2::…", kCacheHint, F::Nothing, 0};

// m64n128k8: any number of columns that is a multiple of 8, up to 256.
[[nodiscard]] const Modifier* find_warpgroup_shape(std::string_view word) {
  static const std::vector<std::pair<std::string, Modifier>> kShapes = [] {
    std::vector<std::pair<std::string, Modifier>> shapes;
    for (unsigned columns = 8; columns <= 256; columns += 8) {
      for (const unsigned depth : {8U, 16U, 32U}) {
        shapes.emplace_back("m64n" + std::to_string(columns) + "k" + std::to_string(depth),
                            Modifier{});
        shapes.back().second = {
            {}, kWarpgroupWord, F::Warpgroup, static_cast<std::uint16_t>(columns / 8 * 64 + depth)};
      }
    }
    return shapes;
  }();
  const auto found = std::ranges::find(kShapes, word, &std::pair<std::string, Modifier>::first);
  return found == kShapes.end() ? nullptr : &found->second;
}

}  // namespace

const Modifier* find_modifier(std::string_view word, std::uint64_t groups) {
  if ((groups & kCacheHint) && (word.starts_with("L1::") || word.starts_with("L2::"))) {
    return word == kCachePolicy.word ? &kCachePolicy : &kCacheLevel;
  }
  if ((groups & kWarpgroupWord) && word.starts_with("m64n")) {
    return find_warpgroup_shape(word);
  }
  const Modifier wanted{word, 0, F::Nothing, 0};
  const auto [first, last] =
      std::equal_range(std::begin(kModifiers), std::end(kModifiers), wanted, by_word);
  const auto found =
      std::find_if(first, last, [&](const Modifier& m) { return (m.group & groups) != 0; });
  return found == last ? nullptr : found;
}

std::string_view modifier_word(ModifierField field, std::uint16_t value, std::uint64_t groups) {
  for (const Modifier& modifier : kModifiers) {
    if (modifier.field == field && modifier.value == value && (modifier.group & groups)) {
      return modifier.word;
    }
  }
  return {};
}

}  // namespace tilestep::ptx
