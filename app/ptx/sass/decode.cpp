#include "ptx/sass/decode.h"

#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

namespace tilestep::ptx {
namespace {

using Kind = SassOperand::Kind;

// Bits of an instruction that have not been read remain visible: they must be zero.
class InstructionBits {
 public:
  InstructionBits(std::uint64_t low, std::uint64_t high) : half_{low, high} {}

  [[nodiscard]] std::uint64_t bits(unsigned first, unsigned count) const {
    std::uint64_t value = 0;
    for (unsigned k = 0; k < count; ++k) {
      value |= (half_[(first + k) / 64] >> (first + k) % 64 & 1U) << k;
    }
    return value;
  }
  std::uint64_t take(unsigned first, unsigned count) {
    const std::uint64_t value = bits(first, count);
    for (unsigned k = 0; k < count; ++k) {
      half_[(first + k) / 64] &= ~(1ULL << (first + k) % 64);
    }
    return value;
  }
  std::int64_t take_signed(unsigned first, unsigned count) {
    const std::uint64_t value = take(first, count);
    return static_cast<std::int64_t>(value << (64 - count)) >> (64 - count);
  }
  [[nodiscard]] bool is_spent() const { return half_[0] == 0 && half_[1] == 0; }
  [[nodiscard]] std::uint64_t half(std::size_t k) const { return half_[k]; }

 private:
  std::array<std::uint64_t, 2> half_;
};

// How an immediate of 32 bits is written.
enum class Immediate : std::uint8_t { Signed, Unsigned, Float, Halves };

// One kind of instruction; the first row that fits is used.
//
// `operands`, separated by spaces:
//   d             the destination register, bits 16–23
//   a b c         the sources; b and c depend on the form. `-`: may be negated; `|`: absolute too
//   v w           the registers at 32–39 and 64–71
//   D A X         the destination, the first source and the predicate at 87, of the other kind than
//                 the row's
//   p q           predicates: destinations, at 81 and 84
//   x y z         predicates: sources, at 87, 77 and 68. Z: uniform if bit 67 is set
//   m n           an address in shared or local memory, with a uniform register at 32 or 64
//   g h           an address in global memory, with the register of its descriptor at 32 or 64
//   e f           of an asynchronous copy: the addresses in shared and in global memory
//   k K           a place in a constant bank; K from 10.0 on
//   u             a uniform predicate at 24
//   s             a special register
//   l             the table of a function of three predicates
//   B S L P       convergence barrier, scoreboard, label, all predicates
//   first:count   a number
// After them, `?`: not written if it is PT or 0; `~`: never written.
//
// `fields`, separated by spaces: 73:3=.A,-,.C is a modifier, `-` none, an absent or empty name
// unknown; 9:3!4 a value that distinguishes the row.
struct Row {
  unsigned code = 0;  // bits 0–8
  const char* name = "";
  const char* operands = "";
  const char* fields = "";
  Immediate immediate = Immediate::Signed;
  bool is_uniform = false;  // its registers and predicates are the uniform ones
};

#define WIDTH "73:3=.U8,.S8,.U16,.S16,-,.64,.128"
#define ROUNDING "78:2=-,.RM,.RP,.RZ"
#define COMPARISON "76:3=.F,.LT,.EQ,.LE,.GT,.NE,.GE,.T"
#define JOIN "74:2=.AND,.OR,.XOR"
#define GLOBAL "72:1=-,.E 76:1!1 90:2!3 "
#define CACHING "84:3=.EF,-,.EL,.LU,.EU,.NA"
#define ORDER "77:4=-,,,,.CONSTANT,.STRONG.SM,,.STRONG.GPU,,,.STRONG.SYS"
constexpr Immediate kSigned = Immediate::Signed;
constexpr Immediate kUnsigned = Immediate::Unsigned;
constexpr Immediate kFloat = Immediate::Float;

constexpr Row kRows[] = {
    // float
    {0x023, "FFMA", "d a| b| c|", "80:1=-,.FTZ 77:1=-,.SAT " ROUNDING, kFloat},
    {0x021, "FADD", "d a| b|", "9:3!1 80:1=-,.FTZ 77:1=-,.SAT " ROUNDING, kFloat},
    {0x021, "FADD", "d a| c|", "80:1=-,.FTZ 77:1=-,.SAT " ROUNDING, kFloat},
    {0x020, "FMUL", "d a| b|", "80:1=-,.FTZ 77:1=-,.SAT 84:3!4 " ROUNDING, kFloat},
    {0x035, "HFMA2.MMA", "d a- b c", "", Immediate::Halves},
    {0x031, "HFMA2", "d a- b c", "", Immediate::Halves},
    {0x108, "MUFU", "d b|", "74:4=.COS,.SIN,.EX2,.LG2,.RCP,.RSQ,.RCP64H,.RSQ64H,.SQRT,.TANH"},
    {0x106, "I2F.RP", "d b", "72:15!0x2094"},
    {0x105, "F2I.FTZ.U32.TRUNC.NTZ", "d b", "72:15!0x21f0"},
    // integer
    {0x010, "IADD3", "d p? q? a- b- c- x y", "74:1=,.X"},
    {0x010, "IADD3", "d p? q? a- b- c- x~ y~", "74:1!0"},
    {0x035, "IADD", "d a- b-", "73:1=,.64 81:3!7 87:4!15"},
    {0x024, "IMAD", "d p? a b c- x", "74:1=,.X 73:1=.U32,-"},
    {0x024, "IMAD", "d p? a b c- x~", "74:1!0 73:1=.U32,-"},
    {0x025, "IMAD", "d p? a b c- x~", "74:1=.WIDE 73:1=.U32,-"},
    {0x027, "IMAD", "d p? a b c- x~", "74:1=.HI 73:1=.U32,-"},
    {0x011, "LEA", "d p? a b- c 75:5 x", "80:1=,.HI 74:1=,.X 73:1!0", kUnsigned},
    {0x011, "LEA", "d p? a b- c 75:5 x~", "80:1=,.HI 73:2!0", kUnsigned},
    {0x011, "LEA", "d p? a b- c~ 75:5 x", "80:1=,.HI 74:1=,.X 73:1=,.SX32", kUnsigned},
    {0x011, "LEA", "d p? a b- c~ 75:5 x~", "80:1=,.HI 73:1=,.SX32", kUnsigned},
    {0x011, "LEA", "d p? a b- c~ 75:5 x~", "", kUnsigned},
    {0x012, "LOP3", "p? d a b c 72:8 x", "80:1=.LUT", kUnsigned},
    {0x019, "SHF", "d a b c", "76:1=.L,.R 75:1=-,.W 73:2=.S64,.U64,.S32,.U32 80:1=-,.HI",
     kUnsigned},
    {0x036, "VIADD", "d a b-", "", kUnsigned},
    {0x048, "VIMNMX", "d p~ q~ a b x", "72:2=.U32,-", kUnsigned},
    {0x046, "VIADDMNMX", "d a b c x", "72:2=.U32,-", kUnsigned},
    {0x017, "IMNMX", "d a b x", "73:1=.U32,-", kUnsigned},
    {0x016, "PRMT", "d a b c", "", kUnsigned},
    {0x013, "IABS", "d b", ""},
    {0x00c, "ISETP", "p q a b x z", COMPARISON " 73:1=.U32,- " JOIN " 72:1=,.EX"},
    {0x00c, "ISETP", "p q a b x z~", COMPARISON " 73:1=.U32,- " JOIN " 72:1!0"},
    {0x01c, "PLOP3", "p q x y Z l 16:8", "9:3!4 80:1=.LUT"},
    {0x007, "SEL", "d a b x", "", kUnsigned},
    {0x007, "SEL.64", "d a v x", "9:3!3", kUnsigned},
    {0x002, "MOV", "d b", "72:4!15 80:1=-,.64", kUnsigned},
    {0x005, "CS2R", "d s", "9:3!4 80:1=.32,-"},
    {0x119, "S2R", "d s", "9:3!4"},
    {0x003, "P2R", "d P a b", "", kUnsigned},
    {0x182, "LDC", "d k", "9:3!5 " WIDTH},
    // uniform
    {0x090, "UIADD3", "d p? q? a- b- c- x y", "74:1=,.X 91:1!1", kSigned, true},
    {0x090, "UIADD3", "d p? q? a- b- c- x~ y~", "74:1!0 91:1!1", kSigned, true},
    {0x097, "UIADD3.64", "d p? q? a- b- c- x~ y~", "74:1!0 91:1!1", kSigned, true},
    {0x04a, "UVIMNMX", "d p~ q~ a b x", "72:2=.U32,.S32 91:1!1", kUnsigned, true},
    {0x0a4, "UIMAD", "d p? a b c- x~", "74:1!0 73:1=.U32,- 91:1!1", kSigned, true},
    {0x0a5, "UIMAD", "d p? a b c- x~", "74:1=.WIDE 73:1=.U32,- 91:1!1", kSigned, true},
    {0x091, "ULEA", "d p? a b- c 75:5 x", "80:1=,.HI 74:1=,.X 73:1!0 91:1!1", kUnsigned, true},
    {0x091, "ULEA", "d p? a b- c 75:5 x~", "80:1=,.HI 73:2!0 91:1!1", kUnsigned, true},
    {0x091, "ULEA", "d p? a b- c~ 75:5 x", "80:1=,.HI 74:1=,.X 73:1=,.SX32 91:1!1", kUnsigned,
     true},
    {0x091, "ULEA", "d p? a b- c~ 75:5 x~", "80:1=,.HI 73:1=,.SX32 91:1!1", kUnsigned, true},
    {0x091, "ULEA", "d p? a b- c~ 75:5 x~", "91:1!1", kUnsigned, true},
    {0x092, "ULOP3", "p? d a b c 72:8 x", "80:1=.LUT 91:1!1", kUnsigned, true},
    {0x099, "USHF", "d a b c", "76:1=.L,.R 75:1=-,.W 73:2=.S64,.U64,.S32,.U32 80:1=-,.HI 91:1!1",
     kUnsigned, true},
    {0x08c, "UISETP", "p q a b x z~", COMPARISON " 73:1=.U32,- " JOIN " 72:1!0 91:1!1", kSigned,
     true},
    {0x087, "USEL", "d a b x", "91:1!1", kUnsigned, true},
    {0x082, "UMOV", "d b", "", kUnsigned, true},
    {0x1ac, "LDCU", "D K", "9:3!3 91:1!1 " WIDTH},
    {0x1ac, "LDCU", "D K", "9:3!3 " WIDTH},
    {0x0b9, "ULDC", "d k", "9:3!5 " WIDTH, kSigned, true},
    {0x1c3, "S2UR", "d s", "9:3!4", kSigned, true},
    {0x1c2, "R2UR", "d p~ A", "9:3!1", kSigned, true},
    {0x0ca, "R2UR", "d p~ A", "9:3!1", kSigned, true},
    {0x086, "VOTEU", "d~ p X", "9:3!4 72:1=.ALL", kSigned, true},
    // memory
    {0x181, "LDG", "d p? g", "9:3!4 " GLOBAL CACHING " " WIDTH " " ORDER},
    {0x186, "STG", "h v", "9:3!4 " GLOBAL CACHING " " WIDTH " " ORDER},
    {0x184, "LDS", "d m", "9:3!4 " WIDTH},
    {0x188, "STS", "m v", "9:3!1 " WIDTH},
    {0x188, "STS", "n v", "9:3!4 " WIDTH},
    {0x183, "LDL", "d m", "9:3!4 " CACHING " " WIDTH},
    {0x187, "STL", "m v", "9:3!1 " CACHING " " WIDTH},
    {0x1ae, "LDGSTS", "e f x",
     "9:3!7 70:1!1 75:1=,.E 81:1=.BYPASS,- 73:2=-,.64,.128 76:1!1 84:3!1 91:1!1"},
    {0x1ae, "LDGSTS", "e f x",
     "9:3!7 83:1=,.E 81:1=.BYPASS,- 74:2=-,.64,.128 76:1!1 84:3!1 91:1!1"},  // from 10.0 on
    {0x1af, "LDGDEPBAR", "", "9:3!4"},
    {0x11a, "DEPBAR", "S 38:6", "9:3!4 47:1=,.LE"},
    {0x1a8, "ATOMG", "p d h v", "9:3!4 70:2!3 72:1=-,.E 87:4=.ADD 73:3=- 84:3!1 91:1!1 " ORDER},
    {0x1a8, "ATOMG", "p d h v",  // from 10.0 on
     "9:3!4 63:1!1 72:1=-,.E 76:1!1 87:4=.ADD 73:3=- 84:3!1 91:1!1 " ORDER},
    // control
    {0x147, "BRA", "x? L", "9:3!4"},
    {0x147, "BRA.U.ANY", "x? L", "9:3!4 32:2!1 84:1!1"},
    {0x147, "BRA", "u L", "9:3!2 32:2!1 87:3!7 91:1=,.U"},
    {0x144, "CALL.REL.NOINC", "L", "9:3!4 86:4!15"},
    {0x14d, "EXIT", "x?", "9:3!4"},
    {0x145, "BSSY", "B L", "9:3!4 73:1=-,.RECONVERGENT 87:3!7"},
    {0x141, "BSYNC", "B", "9:3!4 73:1=-,.RECONVERGENT 87:3!7"},
    {0x148, "WARPSYNC", "", "9:3!4 32:32!0xffffffff 87:3!7"},
    {0x148, "WARPSYNC.ALL", "", "9:3!4 87:3!7"},
    {0x146, "YIELD", "", "9:3!4 87:3!7"},
    {0x11d, "BAR.SYNC.DEFER_BLOCKING", "54:4", "9:3!5 80:1!1"},
    {0x118, "NOP", "", "9:3!4"},
    {0x192, "MEMBAR", "", "9:3!4 79:2=.SC,.ALL 76:3=.CTA,,.GPU,.SYS"},
    {0x1ab, "ERRBAR", "", "9:3!4"},
    {0x1ab, "CGAERRBAR", "", "9:3!2"},
    {0x18f, "CCTL.IVALL", "", "9:3!4 24:8!255 89:1!1"},
    {0x02f, "ELECT", "p D x", "9:3!4"},
    {0x1c6, "FENCE.VIEW.ASYNC.S", "", "9:3!1"},
    {0x1c8, "USETMAXREG", "p? 32:8", "9:3!4 91:1!1 72:3=,,,,,.DEALLOC.CTAPOOL,.TRY_ALLOC.CTAPOOL",
     kSigned, true},
    // tensor cores
    {0x03c, "HMMA.1688.F32.TF32", "d a b c", "9:3!1 72:12!0x810"},
};

// Names of special registers, for S2R and CS2R.
struct Special {
  std::int64_t number;
  const char* name;
};
constexpr Special kSpecialNames[] = {
    {0x21, "SR_TID.X"},   {0x22, "SR_TID.Y"},    {0x23, "SR_TID.Z"},
    {0x25, "SR_CTAID.X"}, {0x26, "SR_CTAID.Y"},  {0x27, "SR_CTAID.Z"},
    {0x00, "SR_LANEID"},  {0x88, "SR_CgaCtaId"}, {0xff, "SRZ"},
};

// Splits at `separator` and calls `use` with each part.
template <class Use>
void for_each_part(std::string_view text, char separator, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::uint64_t number_of(std::string_view text) {
  return std::strtoull(std::string(text).c_str(), nullptr, 0);
}

// Reads one instruction as one row says.
class InstructionReader {
 public:
  InstructionReader(const Row& row, InstructionBits word, std::uint32_t offset, int architecture)
      : row_(row), word_(word), architecture_(architecture) {
    out_.offset = offset;
  }

  [[nodiscard]] std::optional<SassInstruction> read() {
    word_.take(0, 9);
    form_ = static_cast<unsigned>(word_.take(9, 3));
    read_control();
    read_name();
    for_each_part(row_.fields, ' ', [&](std::string_view field) { read_field(field); });
    for_each_part(row_.operands, ' ', [&](std::string_view operand) { read_operand(operand); });
    return fits_ && word_.is_spent() ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  void read_control() {
    out_.guard = static_cast<std::uint8_t>(word_.take(12, 3));
    out_.guard_is_negated = word_.take(15, 1) != 0;
    out_.guard_is_uniform = row_.name[0] == 'U';
    out_.stall = static_cast<std::uint8_t>(word_.take(105, 4));
    out_.prefers_others = word_.take(109, 1) == 0;
    out_.result_board = static_cast<std::uint8_t>(word_.take(110, 3));
    out_.operand_board = static_cast<std::uint8_t>(word_.take(113, 3));
    out_.awaited_boards = static_cast<std::uint8_t>(word_.take(116, 6));
    out_.kept_operands = static_cast<std::uint8_t>(word_.take(122, 3));
    word_.take(125, 3);
  }

  void read_name() {
    const std::string_view name = row_.name;
    const std::size_t dot = std::min(name.find('.'), name.size());
    out_.name = name.substr(0, dot);
    out_.modifiers = name.substr(dot);
  }

  // "9:3!4", "73:3=.U8,-,.64"
  void read_field(std::string_view field) {
    const std::size_t colon = field.find(':');
    const std::size_t sign = field.find_first_of("!=");
    if (field.starts_with("9:")) {
      fits_ = fits_ && form_ == number_of(field.substr(sign + 1));
      return;
    }
    const std::uint64_t value =
        word_.take(static_cast<unsigned>(number_of(field.substr(0, colon))),
                   static_cast<unsigned>(number_of(field.substr(colon + 1, sign - colon - 1))));
    const std::string_view rest = field.substr(sign + 1);
    if (field[sign] == '!') {
      fits_ = fits_ && value == number_of(rest);
      return;
    }
    std::uint64_t k = 0;
    std::string_view found;
    for_each_part(rest, ',', [&](std::string_view name) { found = k++ == value ? name : found; });
    fits_ = fits_ && !found.empty();
    if (found != "-") {
      out_.modifiers += found;
    }
  }

  [[nodiscard]] SassOperand register_at(unsigned first, bool is_uniform) {
    SassOperand operand;
    operand.kind = is_uniform ? Kind::Uniform : Kind::Register;
    operand.index = static_cast<std::uint8_t>(word_.take(first, 8));
    if (is_uniform) {
      operand.index = uniform_number(operand.index);
    }
    return operand;
  }
  [[nodiscard]] std::uint8_t uniform_number(std::uint64_t field) const {
    return field == 63 && architecture_ < 100 ? kZeroUniform : static_cast<std::uint8_t>(field);
  }

  // The source at 32–63 if `at_32`, otherwise the register at 64.
  [[nodiscard]] SassOperand source(bool at_32, bool has_minus, bool has_absolute) {
    SassOperand operand;
    const unsigned kind = at_32 ? form_ : 1;
    if (!at_32) {
      operand = register_at(64, row_.is_uniform);
      operand.absolute = has_absolute && word_.take(74, 1) != 0;
      operand.negated = has_minus && word_.take(75, 1) != 0;
      return operand;
    }
    switch (kind) {
      case 2:
      case 4:
        operand.kind = row_.immediate == Immediate::Halves ? Kind::Halves : Kind::Immediate;
        operand.value = static_cast<std::int32_t>(word_.take(32, 32));
        return operand;
      case 3:
      case 5:
        operand.kind = Kind::Constant;
        operand.value = static_cast<std::int64_t>(word_.take(38, 16));
        operand.bank = static_cast<std::uint8_t>(word_.take(54, 5));
        break;
      case 6:
      case 7:
        operand = register_at(32, true);
        fits_ = fits_ && word_.take(91, 1) != 0;
        break;
      default:
        operand = register_at(32, row_.is_uniform);
    }
    operand.absolute = has_absolute && word_.take(62, 1) != 0;
    operand.negated = has_minus && word_.take(63, 1) != 0;
    return operand;
  }

  [[nodiscard]] SassOperand predicate(unsigned first, int negation, bool is_uniform) {
    SassOperand operand;
    operand.kind = is_uniform ? Kind::UniformPredicate : Kind::Predicate;
    operand.index = static_cast<std::uint8_t>(word_.take(first, 3));
    operand.negated = negation >= 0 && word_.take(static_cast<unsigned>(negation), 1) != 0;
    return operand;
  }

  [[nodiscard]] SassOperand number(std::uint64_t value) {
    SassOperand operand;
    operand.kind = Kind::Immediate;
    operand.is_number = true;
    operand.value = static_cast<std::int64_t>(value);
    return operand;
  }

  // An address whose register is at `first`.
  [[nodiscard]] SassOperand address(unsigned first, std::int64_t offset) {
    SassOperand operand;
    operand.kind = Kind::Address;
    operand.index = static_cast<std::uint8_t>(word_.take(first, 8));
    operand.value = offset;
    return operand;
  }
  [[nodiscard]] SassOperand near_address(unsigned uniform) {
    SassOperand operand = address(24, word_.take_signed(40, 24));
    operand.scale = static_cast<std::uint8_t>(word_.take(78, 2));
    if (word_.take(91, 1) != 0) {
      operand.uniform = uniform_number(word_.take(uniform, 6));
      operand.has_uniform = true;
    }
    return operand;
  }
  [[nodiscard]] SassOperand far_address(unsigned descriptor, std::int64_t offset) {
    SassOperand operand = address(24, offset);
    operand.is_wide = true;
    operand.uniform = uniform_number(word_.take(descriptor, 6));
    operand.has_uniform = architecture_ >= 90;
    return operand;
  }

  [[nodiscard]] SassOperand label() {
    SassOperand operand;
    operand.kind = Kind::Label;
    // From the next instruction on, in units of 4 bytes. From 9.0 on a branch has eight more bits.
    const bool is_jump = out_.name == "BRA" || out_.name == "CALL";
    const bool is_longer = is_jump && architecture_ >= 90;
    const std::int64_t low = is_longer ? static_cast<std::int64_t>(word_.take(16, 8)) : 0;
    const std::int64_t high = is_jump ? word_.take_signed(34, 48) : word_.take_signed(34, 30);
    operand.value = out_.offset + kSassBytes + 4 * (is_longer ? high * 256 + low : high);
    return operand;
  }

  [[nodiscard]] SassOperand place(Kind kind, std::uint64_t value) {
    SassOperand operand;
    operand.kind = kind;
    operand.value = static_cast<std::int64_t>(value);
    return operand;
  }

  [[nodiscard]] SassOperand constant(unsigned first, unsigned count) {
    SassOperand operand;
    operand.kind = Kind::Constant;
    operand.value = static_cast<std::int64_t>(word_.take(first, count));
    operand.bank = static_cast<std::uint8_t>(word_.take(54, 5));
    const auto index = static_cast<std::uint8_t>(word_.take(24, 8));
    operand.index = row_.is_uniform ? kZeroRegister : index;
    operand.has_index = !row_.is_uniform;
    fits_ = fits_ && (!row_.is_uniform || index == 0);
    return operand;
  }

  [[nodiscard]] SassOperand operand(char letter, bool has_minus, bool has_absolute) {
    const bool u = row_.is_uniform;
    const bool swapped = form_ == 2 || form_ == 3 || form_ == 7;  // b is at 64, c at 32
    switch (letter) {
      case 'd':
      case 'D':
        return register_at(16, u != (letter == 'D'));
      case 'a':
      case 'A': {
        SassOperand a = register_at(24, u != (letter == 'A'));
        a.negated = has_minus && word_.take(72, 1) != 0;
        a.absolute = has_absolute && word_.take(73, 1) != 0;
        return a;
      }
      case 'b':
        return source(!swapped, has_minus, has_absolute);
      case 'c':
        return source(swapped, has_minus, has_absolute);
      case 'v':
        return register_at(32, false);
      case 'p':
        return predicate(81, -1, u);
      case 'q':
        return predicate(84, -1, u);
      case 'x':
      case 'X':
        return predicate(87, 90, u != (letter == 'X'));
      case 'y':
        return predicate(77, 80, u);
      case 'z':
        return predicate(68, 71, u);
      case 'Z':
        return predicate(68, 71, word_.take(67, 1) != 0);
      case 'm':
        return near_address(32);
      case 'n':
        return near_address(64);
      case 'g':
        return far_address(32, word_.take_signed(40, 24));
      case 'h':
        return far_address(64, word_.take_signed(40, 24));
      case 'e':
        return address(16, static_cast<std::int64_t>(word_.take(44, 20)));
      case 'f':
        return far_address(64, word_.take_signed(32, 12));
      case 'k':
        return constant(38, 16);
      case 'K':
        return constant(37, 17);
      case 'u':
        return predicate(24, 27, true);
      case 's':
        return place(Kind::Special, word_.take(72, 8));
      case 'l': {
        const std::uint64_t low = word_.take(64, 3);
        return number(word_.take(72, 5) << 3 | low);
      }
      case 'B':
        return place(Kind::Barrier, word_.take(16, 4));
      case 'S':
        return place(Kind::Scoreboard, word_.take(44, 3));
      case 'L':
        return label();
      default:
        return place(Kind::AllPredicates, 0);
    }
  }

  void read_operand(std::string_view token) {
    const char last = token.back();
    SassOperand found;
    if (const std::size_t colon = token.find(':'); colon != std::string_view::npos) {
      found = number(word_.take(static_cast<unsigned>(number_of(token.substr(0, colon))),
                                static_cast<unsigned>(number_of(token.substr(colon + 1)))));
    } else {
      found = operand(token[0], last == '-' || last == '|', last == '|');
    }
    if (const std::size_t kept = std::string_view("abc").find(token[0]);
        kept != std::string_view::npos && found.kind == Kind::Register) {
      found.is_kept = (out_.kept_operands >> kept & 1U) != 0;
    }
    const bool is_true = !found.negated && found.index == kTruePredicate;
    found.is_hidden = last == '~' || (last == '?' && is_true);
    out_.operands.push_back(found);
  }

  const Row& row_;
  InstructionBits word_;
  int architecture_;
  unsigned form_ = 0;
  bool fits_ = true;
  SassInstruction out_;
};

std::string_view special_name(std::int64_t number) {
  for (const Special& special : kSpecialNames) {
    if (special.number == number) {
      return special.name;
    }
  }
  return "";
}

std::string hexadecimal(std::int64_t value) {
  return value < 0 ? fmt::format("-0x{:x}", 0 - static_cast<std::uint64_t>(value))
                   : fmt::format("0x{:x}", value);
}

// Exact, as nvdisasm writes a float16 or float32.
std::string decimal(double value) {
  if (std::isnan(value)) {
    return "+QNAN";
  }
  return std::isinf(value) ? (value < 0 ? "-INF" : "+INF") : fmt::format("{:.60g}", value);
}

double value_of_half(std::uint32_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const double fraction = bits & 1023U;
  if (exponent == 31) {
    return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  }
  return exponent == 0 ? sign * std::ldexp(fraction, -24)
                       : sign * std::ldexp(1024.0 + fraction, exponent - 25);
}

std::string register_text(Kind kind, std::uint8_t index) {
  if (kind == Kind::Uniform) {
    return index == kZeroUniform ? "URZ" : fmt::format("UR{}", index);
  }
  return index == kZeroRegister ? "RZ" : fmt::format("R{}", index);
}

std::string predicate_text(bool is_uniform, std::uint8_t index, bool is_negated) {
  const std::string number = index == kTruePredicate ? "T" : std::to_string(index);
  return fmt::format("{}{}{}", is_negated ? "!" : "", is_uniform ? "UP" : "P", number);
}

// "[R4+UR2+0x10]", "desc[UR4][R2.64+0x10]"
std::string address_text(const SassOperand& o) {
  std::string inner;
  const bool is_near = !o.is_wide;
  if (o.index != kZeroRegister || !is_near || !o.has_uniform) {
    inner = register_text(Kind::Register, o.index) + (is_near ? "" : ".64");
    inner += o.scale == 0 ? "" : fmt::format(".X{}", 2 << o.scale);
  }
  if (is_near && o.has_uniform) {
    inner += (inner.empty() ? "" : "+") + register_text(Kind::Uniform, o.uniform);
  }
  if (o.value != 0) {
    inner += (o.value < 0 ? "+" : "+") + hexadecimal(o.value);
  }
  return is_near || !o.has_uniform
             ? fmt::format("[{}]", inner)
             : fmt::format("desc[{}][{}]", register_text(Kind::Uniform, o.uniform), inner);
}

std::string immediate_text(const SassOperand& o, Immediate style) {
  const auto bits = static_cast<std::uint32_t>(o.value);
  if (o.kind == Kind::Halves) {
    return decimal(value_of_half(bits >> 16)) + ", " + decimal(value_of_half(bits & 0xffffU));
  }
  if (style == Immediate::Float) {
    return decimal(std::bit_cast<float>(bits));
  }
  return o.is_number || style == Immediate::Signed ? hexadecimal(o.value) : hexadecimal(bits);
}

std::string operand_text(const SassOperand& o, Immediate style) {
  switch (o.kind) {
    case Kind::Register:
    case Kind::Uniform: {
      const std::string name = register_text(o.kind, o.index) + (o.is_kept ? ".reuse" : "");
      return (o.negated ? "-" : "") + (o.absolute ? "|" + name + "|" : name);
    }
    case Kind::Predicate:
    case Kind::UniformPredicate:
      return predicate_text(o.kind == Kind::UniformPredicate, o.index, o.negated);
    case Kind::Immediate:
    case Kind::Halves:
      return immediate_text(o, style);
    case Kind::Constant:
      return fmt::format(
          "{}c[{}][{}]", o.negated ? "-" : "", hexadecimal(o.bank),
          o.index == kZeroRegister && (o.value != 0 || !o.has_index) ? hexadecimal(o.value)
          : o.value == 0 ? register_text(Kind::Register, o.index)
                         : register_text(Kind::Register, o.index) + "+" + hexadecimal(o.value));
    case Kind::Address:
      return address_text(o);
    case Kind::Special:
      return std::string(special_name(o.value));
    case Kind::Barrier:
      return fmt::format("B{}", o.value);
    case Kind::Scoreboard:
      return fmt::format("SB{}", o.value);
    case Kind::Label:
      return hexadecimal(o.value);
    case Kind::AllPredicates:
      break;
  }
  return "PR";
}

bool is_zero_register(const SassOperand& o) {
  return o.kind == Kind::Register && o.index == kZeroRegister;
}

// nvdisasm names a multiply-add by what it is used for: a move, a sum, a shift.
std::string_view use_of_multiply_add(const SassInstruction& i) {
  if (i.name != "IMAD" || (i.modifiers != ".U32" && !i.modifiers.empty())) {
    return "";
  }
  const SassOperand& a = i.operands[2];
  const SassOperand& b = i.operands[3];
  const SassOperand& c = i.operands[4];
  if (is_zero_register(a) && is_zero_register(b)) {
    return c.kind == Kind::Uniform ? "" : ".MOV";
  }
  if (b.kind != Kind::Immediate) {
    return "";
  }
  if (b.value == 1) {
    return ".IADD";
  }
  return is_zero_register(c) && b.value > 0 &&
                 std::has_single_bit(static_cast<std::uint64_t>(b.value))
             ? ".SHL"
             : "";
}

Immediate style_of(const SassInstruction& i) {
  for (const Row& row : kRows) {
    if (std::string_view(row.name).substr(0, i.name.size()) == i.name) {
      return row.immediate;
    }
  }
  return Immediate::Signed;
}

}  // namespace

bool SassInstruction::has(std::string_view modifier) const {
  const std::size_t at = modifiers.find(modifier);
  const std::size_t end = at + modifier.size();
  return at != std::string::npos && (end == modifiers.size() || modifiers[end] == '.');
}

std::string SassInstruction::text() const {
  std::string text;
  if (guard != kTruePredicate || guard_is_negated) {
    text = "@" + predicate_text(guard_is_uniform, guard, guard_is_negated) + " ";
  }
  text += name;
  text += use_of_multiply_add(*this);
  text += modifiers;
  std::string_view separator = " ";
  for (const SassOperand& operand : operands) {
    if (!operand.is_hidden) {
      text += separator;
      text += operand_text(operand, style_of(*this));
      separator = ", ";
    }
  }
  return text;
}

Result<SassInstruction> decode_sass(std::uint64_t low, std::uint64_t high, std::uint32_t offset,
                                    int architecture) {
  const InstructionBits word(low, high);
  const std::uint64_t code = word.bits(0, 9);
  for (const Row& row : kRows) {
    if (row.code == code) {
      if (auto instruction = InstructionReader(row, word, offset, architecture).read()) {
        return *std::move(instruction);
      }
    }
  }
  return fail(
      tr("The instruction at {} of the machine code is not known (operation {}, bits {:016x} and "
         "{:016x}).",
         hexadecimal(offset), hexadecimal(static_cast<std::int64_t>(code)), high, low));
}

Result<std::vector<SassInstruction>> decode_sass(std::span<const std::byte> code,
                                                 int architecture) {
  std::vector<SassInstruction> instructions;
  for (std::size_t at = 0; at + kSassBytes <= code.size(); at += kSassBytes) {
    std::array<std::uint64_t, 2> halves{};
    std::memcpy(halves.data(), code.data() + at, kSassBytes);
    auto instruction =
        decode_sass(halves[0], halves[1], static_cast<std::uint32_t>(at), architecture);
    if (!instruction) {
      return tl::unexpected(instruction.error());
    }
    instructions.push_back(*std::move(instruction));
  }
  return instructions;
}

}  // namespace tilestep::ptx
