// The meaning of an opcode word: `mad.lo.s32` → Opcode::Mad, Mode::Lo, Type::S32 and the required
// operands. Two tables define it: opcodes (opcode_form.cpp) and the words after the dots
// (opcode_form_modifiers.cpp).
//
// A word is known only if every part of it is: a modifier that the opcode's row does not allow
// makes the whole instruction Opcode::Unknown. Modifiers without influence on results here (cache
// hints, .uni on ret, .aligned of a vote) are allowed and dropped.
#pragma once

#include "ptx/model/instruction.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tilestep::ptx {

// Groups of modifiers that an opcode may carry.
enum ModifierGroup : std::uint64_t {
  kTypeWord = 1ULL << 0,
  kSpaceWord = 1ULL << 1,
  kRoundFloat = 1ULL << 2,  // .rn .rz .rm .rp .rna
  kRoundInteger = 1ULL << 3,
  kApprox = 1ULL << 4,  // .approx .full
  kFtzWord = 1ULL << 5,
  kSatWord = 1ULL << 6,
  kMulPart = 1ULL << 7,  // .lo .hi .wide
  kCarry = 1ULL << 8,    // .cc
  kCompareWord = 1ULL << 9,
  kBoolWord = 1ULL << 10,
  kAtomWord = 1ULL << 11,
  kBarRedWord = 1ULL << 12,
  kVectorWord = 1ULL << 13,
  kOrdering = 1ULL << 14,  // .volatile .relaxed .acquire … .cta .gpu .sys
  kCacheHint = 1ULL << 15,
  kUniWord = 1ULL << 16,
  kSyncWord = 1ULL << 17,  // .sync .aligned
  kVoteWord = 1ULL << 18,
  kMatchWord = 1ULL << 19,
  kShflWord = 1ULL << 20,
  kShfDirection = 1ULL << 21,
  kShfClamp = 1ULL << 22,
  kPrmtWord = 1ULL << 23,
  kTestpWord = 1ULL << 24,
  kNanWord = 1ULL << 25,
  kXorSignWord = 1ULL << 26,  // .xorsign .abs
  kReluWord = 1ULL << 27,
  kToWord = 1ULL << 28,
  kNcWord = 1ULL << 29,
  kShiftamtWord = 1ULL << 30,
  kWrapWord = 1ULL << 31,
  kNoFtzWord = 1ULL << 32,
  kMatrixWord = 1ULL << 33,   // shapes, .row .col
  kMatrixCount = 1ULL << 34,  // .x1 .x2 .x4 .trans
  kParityWord = 1ULL << 35,
  kNoIncWord = 1ULL << 36,
  kFenceWord = 1ULL << 37,
  kPrefetchWord = 1ULL << 38,
  kAddWord = 1ULL << 39,  // vabsdiff4 … .add
  kAnyWord = 1ULL << 40,  // textures: every modifier stays in the text
  kNoCompleteWord = 1ULL << 41,
  kAlignedWord = 1ULL << 42,    // barrier.….aligned
  kMembarWord = 1ULL << 43,     // .gl, the older name of .gpu
  kBulkWord = 1ULL << 44,       // .bulk_group .mbarrier::complete_tx::bytes .tile .2d .read
  kWarpgroupWord = 1ULL << 45,  // .m64n128k8
};

// Requirements on a word beyond the modifiers that its row allows; opcode_form.cpp has the
// condition of each. Without a bit of the first two a typed opcode names one type.
enum FormDemand : std::uint16_t {
  kTwoTypes = 1,              // of the destination and of the sources (or of one of them)
  kThreeTypes = 2,            // … and both sources have the same
  kModeNeeded = 4,            // one of the words that set the mode
  kModeIfInteger = 8,         // floats have none
  kNoWide = 16,               // a mode, but not .wide
  kNoWide64 = 32,             // .wide of at most 32 bits: no type is wider than 64
  kCompareNeeded = 64,        // .eq .lt …
  kSpaceNeeded = 128,         // the generic space is not meant
  kRoundingNeeded = 256,      // .rn .approx …
  kRoundingIfFloat = 512,     // integers have none
  kRoundingIfInexact = 1024,  // cvt: by the two types
};

// Operand signature: one letter per operand in the order of the text; `?` after a letter makes the
// operand optional. A register has to have exactly the width of the letter's type unless stated
// otherwise: a module whose operands passed can be executed without checking widths again.
//   d  destination of `type`                  D  … or wider, `vector` of them
//   w  destination of `type`, twice as wide under .wide        x  32-bit destination
//   P  predicate destination                  Q  second destination after `|`, a predicate
//   a  source of `type` (register, immediate) A  … or wider, `vector` of them
//   n  source of `type`, twice as wide under .wide
//   s  source of `source_type`                S  … or wider
//   u  32-bit source                          l  64-bit source       k  64-bit destination
//   p  predicate source, may be negated       z  64-bit source: register or address of a variable
//   U  32-bit source, or a predicate that is not negated
//   M  memory operand                         v  registers between braces, any number
//   T  memory operand, with or without coordinates after it
//   G  registers between braces, or a 64-bit source
// `*` alone: read by separate code (branches, calls, mov), or kept unchecked (textures).
struct OpcodeRow {
  std::string_view name;
  Opcode op = Opcode::Unknown;
  Mode mode = Mode::None;
  std::uint64_t groups = 0;
  std::uint32_t types = 0;  // bit (1 << Type): allowed as `type`; 0: the opcode has no type
  std::string_view signature;
  std::uint16_t demands = 0;  // FormDemands
  std::uint16_t flags = 0;    // InstructionFlags that the name itself implies
};

[[nodiscard]] constexpr std::uint32_t type_bit(Type type) {
  return 1U << static_cast<unsigned>(type);
}

// All rows, by name.
[[nodiscard]] std::span<const OpcodeRow> opcode_rows();
// The row whose name is the longest dotted prefix of the word; nullptr: no such opcode.
[[nodiscard]] const OpcodeRow* find_opcode(std::string_view word);

// The field that a modifier sets.
enum class ModifierField : std::uint8_t {
  Nothing,
  Type,
  Space,
  Rounding,
  Compare,
  BoolOp,
  Mode,
  Flag,
  Order,
  Scope,
  Vector,
  ShfClamp,
  Shape,
  ColumnMajor,
  RowMajor,
  MatrixCount,
  CachePolicy,
  Warpgroup,  // value: columns / 8 · 64 + k
};

struct Modifier {
  std::string_view word;
  std::uint64_t group = 0;
  ModifierField field = ModifierField::Nothing;
  std::uint16_t value = 0;
};

// The meaning of `word` (without its dot) for an opcode that allows `groups`; nullptr: none.
[[nodiscard]] const Modifier* find_modifier(std::string_view word, std::uint64_t groups);

// The inverse, to show the decoded instruction: the row of an instruction (of several with one
// meaning the shortest name), and the word that sets a field to a value ("" if none of the groups
// has one).
[[nodiscard]] const OpcodeRow* opcode_row(const Instruction& instruction);
[[nodiscard]] std::string_view modifier_word(ModifierField field, std::uint16_t value,
                                             std::uint64_t groups);

struct Form {
  Instruction prototype;  // op, types, mode, flags …; op is Unknown if the word is not known
  std::string_view signature;
  MatrixForm matrix;
  bool has_matrix = false;
  bool has_cache_policy = false;  // one more operand at the end, without influence on results
};

[[nodiscard]] Form decode_opcode(std::string_view word);

}  // namespace tilestep::ptx
