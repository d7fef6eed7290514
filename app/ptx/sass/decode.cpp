#include "ptx/sass/decode.h"

#include "problem/tr.h"
#include "ptx/sass/decode_table.h"

#include <fmt/format.h>

#include <algorithm>
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

 private:
  std::array<std::uint64_t, 2> half_;
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

// The fields that every instruction has.
SassInstruction take_common_fields(InstructionBits& word, std::uint32_t offset) {
  SassInstruction out;
  out.offset = offset;
  out.operation = static_cast<std::uint16_t>(word.take(0, 9));
  out.guard = static_cast<std::uint8_t>(word.take(12, 3));
  out.guard_is_negated = word.take(15, 1) != 0;
  out.stall = static_cast<std::uint8_t>(word.take(105, 4));
  out.prefers_others = word.take(109, 1) == 0;
  out.result_board = static_cast<std::uint8_t>(word.take(110, 3));
  out.operand_board = static_cast<std::uint8_t>(word.take(113, 3));
  out.awaited_boards = static_cast<std::uint8_t>(word.take(116, 6));
  return out;
}

// Reads one instruction as one row says.
class InstructionReader {
 public:
  // `common` and `word`: the fields that every instruction has, and the others.
  InstructionReader(const Row& row, SassInstruction common, InstructionBits word, int architecture)
      : row_(row), word_(word), architecture_(architecture), out_(std::move(common)) {}

  [[nodiscard]] std::optional<SassInstruction> read() {
    form_ = static_cast<unsigned>(word_.take(9, 3));
    kept_operands_ = static_cast<std::uint32_t>(word_.take(122, 3));
    word_.take(125, 3);
    read_name();
    for_each_part(row_.fields, ' ', [&](std::string_view field) { read_field(field); });
    for_each_part(row_.operands, ' ', [&](std::string_view operand) { read_operand(operand); });
    return fits_ && word_.is_spent() ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  void read_name() {
    const std::string_view name = row_.name;
    const std::size_t dot = std::min(name.find('.'), name.size());
    out_.name = name.substr(0, dot);
    out_.guard_is_uniform = name[0] == 'U';
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
    if (!at_32) {
      operand = register_at(64, row_.is_uniform);
      operand.absolute = has_absolute && word_.take(74, 1) != 0;
      operand.negated = has_minus && word_.take(75, 1) != 0;
      return operand;
    }
    switch (form_) {
      case 2:
      case 4:
        return immediate();
      case 3:
      case 5:
        operand = place_in_bank(38, 16);
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

  [[nodiscard]] SassOperand immediate() {
    const std::uint64_t bits = word_.take(32, 32);
    switch (row_.immediate) {
      case Immediate::Signed:
        return place(Kind::Immediate, static_cast<std::uint64_t>(static_cast<std::int32_t>(bits)));
      case Immediate::Unsigned:
        return place(Kind::Immediate, bits);
      case Immediate::Float:
        return place(Kind::Float, bits);
      case Immediate::Halves:
        return place(Kind::Halves, bits);
      case Immediate::Unknown:
        break;
    }
    fits_ = false;
    return {};
  }

  [[nodiscard]] SassOperand predicate(unsigned first, int negation, bool is_uniform) {
    SassOperand operand;
    operand.kind = is_uniform ? Kind::UniformPredicate : Kind::Predicate;
    operand.index = static_cast<std::uint8_t>(word_.take(first, 3));
    operand.negated = negation >= 0 && word_.take(static_cast<unsigned>(negation), 1) != 0;
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
    const bool is_jump = out_.name == "BRA" || out_.name == "CALL" || out_.name == "WARPSYNC";
    const bool is_longer = is_jump && architecture_ >= 90;
    const std::int64_t low = is_longer ? static_cast<std::int64_t>(word_.take(16, 8)) : 0;
    const std::int64_t high = is_jump ? word_.take_signed(34, 48) : word_.take_signed(34, 30);
    const auto next = static_cast<std::int64_t>(out_.offset + kSassBytes);
    operand.value = next + 4 * (is_longer ? high * 256 + low : high);
    return operand;
  }

  [[nodiscard]] SassOperand place(Kind kind, std::uint64_t value) {
    SassOperand operand;
    operand.kind = kind;
    operand.value = static_cast<std::int64_t>(value);
    return operand;
  }

  [[nodiscard]] SassOperand place_in_bank(unsigned first, unsigned count) {
    SassOperand operand = place(Kind::Constant, word_.take(first, count));
    operand.bank = static_cast<std::uint8_t>(word_.take(54, 5));
    return operand;
  }
  // With a register that is added.
  [[nodiscard]] SassOperand indexed_constant(unsigned first, unsigned count) {
    SassOperand operand = place_in_bank(first, count);
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
        return indexed_constant(38, 16);
      case 'K':
        return indexed_constant(37, 17);
      case 'u':
        return predicate(24, 27, true);
      case 's':
        return place(Kind::Special, word_.take(72, 8));
      case 'l': {
        const std::uint64_t low = word_.take(64, 3);
        return place(Kind::Immediate, word_.take(72, 5) << 3 | low);
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
      found = place(Kind::Immediate,
                    word_.take(static_cast<unsigned>(number_of(token.substr(0, colon))),
                               static_cast<unsigned>(number_of(token.substr(colon + 1)))));
    } else {
      found = operand(token[0], last == '-' || last == '|', last == '|');
    }
    if (const std::size_t kept = std::string_view("abc").find(token[0]);
        kept != std::string_view::npos && found.kind == Kind::Register) {
      found.is_kept = (kept_operands_ >> kept & 1U) != 0;
    }
    const bool is_true = !found.negated && found.index == kTruePredicate;
    found.is_hidden = last == '~' || (last == '?' && is_true);
    out_.operands.push_back(found);
  }

  const Row& row_;
  InstructionBits word_;
  int architecture_;
  unsigned form_ = 0;
  std::uint32_t kept_operands_ = 0;
  bool fits_ = true;
  SassInstruction out_;
};

}  // namespace

SassInstruction read_sass(std::uint64_t low, std::uint64_t high, std::uint32_t offset,
                          int architecture) {
  InstructionBits word(low, high);
  const SassInstruction common = take_common_fields(word, offset);
  for (const Row& row : sass_rows()) {
    if (row.code == common.operation) {
      if (auto instruction = InstructionReader(row, common, word, architecture).read()) {
        return *std::move(instruction);
      }
    }
  }
  return common;
}

std::vector<SassInstruction> read_sass(std::span<const std::byte> code, int architecture) {
  std::vector<SassInstruction> instructions;
  for (std::size_t at = 0; at + kSassBytes <= code.size(); at += kSassBytes) {
    const auto [low, high] = sass_words(code, at);
    instructions.push_back(read_sass(low, high, static_cast<std::uint32_t>(at), architecture));
  }
  return instructions;
}

Result<std::vector<SassInstruction>> decode_sass(std::span<const std::byte> code,
                                                 int architecture) {
  auto instructions = read_sass(code, architecture);
  const auto unknown = std::ranges::find_if_not(instructions, &SassInstruction::is_known);
  if (unknown != instructions.end()) {
    const auto [low, high] = sass_words(code, unknown->offset);
    return fail(
        tr("The instruction at {} of the machine code is not known (operation {}, bits {:016x} and "
           "{:016x}).",
           fmt::format("0x{:x}", unknown->offset), fmt::format("0x{:x}", unknown->operation), high,
           low));
  }
  return instructions;
}

std::array<std::uint64_t, 2> sass_words(std::span<const std::byte> code, std::size_t offset) {
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), &code[offset], kSassBytes);
  return words;
}

}  // namespace tilestep::ptx
