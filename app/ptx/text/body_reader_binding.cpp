#include "ptx/text/body_reader.h"

#include <algorithm>
#include <cassert>
#include <span>

namespace tilestep::ptx {
namespace {

std::uint32_t bytes_of(RegisterClass cls) {
  switch (cls) {
    case RegisterClass::Pred:
      return 0;
    case RegisterClass::B16:
      return 2;
    case RegisterClass::B32:
      return 4;
    case RegisterClass::B64:
      return 8;
    case RegisterClass::B128:
      return 16;
  }
  return 0;
}

// Registers have no 8-bit class: .b8 values use 16 bits.
std::uint32_t register_bytes(Type type) {
  return type == Type::Pred ? 0 : std::max(2U, byte_size(type));
}

Type widened(Type type) {
  switch (type) {
    case Type::U16:
      return Type::U32;
    case Type::S16:
      return Type::S32;
    case Type::U32:
      return Type::U64;
    default:
      return Type::S64;
  }
}

// Binds one instruction: processes the signature and the groups in parallel.
class Binder {
 public:
  Binder(const Form& form, const TextOperands& text, const Module& module, Instruction& instruction,
         std::vector<Operand>& operands)
      : form_(form),
        text_(text),
        module_(module),
        instruction_(instruction),
        operands_(operands),
        first_(operands.size()) {}

  bool bind() {
    groups_ = text_.groups;
    if (form_.has_cache_policy && !drop_cache_policy()) {
      return false;
    }
    if (!bind_groups() || !counts_fit()) {
      operands_.resize(first_);
      return false;
    }
    return true;
  }

 private:
  [[nodiscard]] std::span<const TextOperand> operands_of(const OperandGroup& group) const {
    return std::span(text_.operands).subspan(group.first, group.count);
  }

  bool bind_groups() {
    if (form_.prototype.op == Opcode::Mov) {
      return bind_mov();
    }
    return form_.signature == "*" ? bind_anything() : bind_signature();
  }

  bool drop_cache_policy() {
    if (groups_.empty()) {
      return false;
    }
    groups_ = groups_.first(groups_.size() - 1);
    return true;
  }

  bool bind_signature() {
    const std::string_view signature = form_.signature;
    const auto optional = static_cast<std::size_t>(std::ranges::count(signature, '?'));
    const auto mandatory = signature.size() - 2 * optional;
    const auto after_bar = static_cast<std::size_t>(
        std::ranges::count_if(groups_, [](const OperandGroup& g) { return g.after_bar; }));
    const bool bar_is_optional = signature.find("Q?") != std::string_view::npos;
    const std::size_t present = groups_.size() - (bar_is_optional ? after_bar : 0);
    std::size_t spare = present < mandatory ? 0 : present - mandatory;
    std::size_t next = 0;
    for (std::size_t i = 0; i < signature.size(); ++i) {
      const char letter = signature[i];
      const bool can_miss = i + 1 < signature.size() && signature[i + 1] == '?';
      i += can_miss ? 1 : 0;
      if (can_miss && letter == 'Q') {
        if (next >= groups_.size() || !groups_[next].after_bar) {
          continue;
        }
      } else if (can_miss) {
        if (spare == 0) {
          continue;
        }
        --spare;
      }
      if (next >= groups_.size() || groups_[next].after_bar != (letter == 'Q') ||
          !bind_group(letter, groups_[next])) {
        return false;
      }
      ++next;
    }
    return next == groups_.size();
  }

  bool bind_group(char letter, const OperandGroup& group) {
    const Type type = form_.prototype.type;
    const bool wide = form_.prototype.mode == Mode::Wide;
    switch (letter) {
      case 'd':
        return destination(group, type, false);
      case 'D':
        return destination(group, type, true);
      case 'w':
        return destination(group, wide ? widened(type) : type, false);
      case 'x':
        return destination(group, Type::B32, false);
      case 'P':
        return destination(group, Type::Pred, false);
      case 'Q':
        instruction_.flags = static_cast<std::uint16_t>(instruction_.flags | kDestPred);
        return destination(group, Type::Pred, false);
      case 'a':
        return source(group, type, false);
      case 'A':
        return source(group, type, true);
      case 'n':
        return source(group, wide ? widened(type) : type, false);
      case 's':
        return source(group, form_.prototype.source_type, false);
      case 'S':
        return source(group, form_.prototype.source_type, true);
      case 'u':
        return source(group, Type::B32, false);
      case 'p':
        return source(group, Type::Pred, false);
      case 'U':
        return is_predicate(group) ? source(group, Type::Pred, false)
                                   : source(group, Type::B32, false);
      case 'z':
        return address(group);
      case 'l':
        return source(group, Type::B64, false);
      case 'M':
        return memory(group);
      case 'T':
        return memory_with_coordinates(group);
      case 'G':
        return group.braced ? fragment(group) : source(group, Type::B64, false);
      case 'v':
        return fragment(group);
      default:
        assert(false && "a letter that no signature has");
        return false;
    }
  }

  void append(const Operand& operand) {
    operands_.push_back(operand);
    ++instruction_.operand_count;
  }

  [[nodiscard]] static bool width_fits(const Operand& operand, Type type, bool or_wider) {
    const std::uint32_t have = bytes_of(operand.reg.cls);
    const std::uint32_t want = register_bytes(type);
    if (have == 0 || want == 0) {
      return have == want;
    }
    return have == want || (or_wider && have > want);
  }

  // `vector` registers for ld, st, cvt, atom and red, one for everything else.
  [[nodiscard]] bool count_fits(const OperandGroup& group, bool or_wider) const {
    const bool may_be_vector = or_wider || is_atomic(form_.prototype.op);
    const std::uint32_t wanted = may_be_vector ? form_.prototype.vector : 1U;
    return !group.memory && group.count == wanted && group.braced == (wanted > 1);
  }

  bool destination(const OperandGroup& group, Type type, bool or_wider) {
    if (!count_fits(group, or_wider)) {
      return false;
    }
    for (const TextOperand& text : operands_of(group)) {
      const bool sink = text.operand.kind == OperandKind::None;
      if (!sink && (text.operand.kind != OperandKind::Register || text.operand.negated ||
                    text.operand.value != 0 || !width_fits(text.operand, type, or_wider))) {
        return false;
      }
      append(text.operand);
      ++instruction_.dest_count;
    }
    return true;
  }

  bool source(const OperandGroup& group, Type type, bool or_wider) {
    if (!count_fits(group, or_wider)) {
      return false;
    }
    for (const TextOperand& text : operands_of(group)) {
      if (!source_value(text, type, or_wider)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool is_predicate(const OperandGroup& group) const {
    const auto operands = operands_of(group);
    return operands.size() == 1 && operands[0].operand.kind == OperandKind::Register &&
           operands[0].operand.reg.cls == RegisterClass::Pred;
  }

  bool source_value(const TextOperand& text, Type type, bool or_wider) {
    Operand operand = text.operand;
    if (operand.negated && type != Type::Pred) {
      return false;
    }
    if (text.constant) {
      const auto bits = constant_bits(*text.constant, type);
      operand.value = bits.value_or(0);
      append(operand);
      return bits.has_value();
    }
    append(operand);
    return operand.kind == OperandKind::Register && operand.value == 0 &&
           width_fits(operand, type, or_wider);
  }

  // cvta, isspacep, mapa: a register or the address of a variable.
  bool address(const OperandGroup& group) {
    const Type type = form_.prototype.type == Type::None || form_.prototype.op == Opcode::Getctarank
                          ? Type::B64
                          : form_.prototype.type;
    const OperandKind kind = text_.operands[group.first].operand.kind;
    if (kind == OperandKind::Variable || kind == OperandKind::Param) {
      append(text_.operands[group.first].operand);
      return group.count == 1 && !group.memory;
    }
    return source(group, type, false);
  }

  bool memory(const OperandGroup& group) {
    if (!group.memory || group.count != 1) {
      return false;
    }
    const TextOperand& text = text_.operands[group.first];
    const Operand& operand = text.operand;
    append(operand);
    switch (operand.kind) {
      case OperandKind::Memory:
        return operand.reg.cls == RegisterClass::B64 || operand.reg.cls == RegisterClass::B32;
      case OperandKind::MemoryAbsolute:
        return true;
      case OperandKind::MemoryVariable:
        return names_own_space(operand.index);
      case OperandKind::Param:
      case OperandKind::CallParam:
        return inside_parameter(text);
      default:
        return false;
    }
  }

  // [map, {x, y}]: a tensor map, and the position of the box in the tensor.
  bool memory_with_coordinates(const OperandGroup& group) {
    OperandGroup base = group;
    base.count = 1;
    if (group.count == 0 || !memory(base)) {
      return false;
    }
    for (const TextOperand& text : operands_of(group).subspan(1)) {
      if (!source_value(text, Type::S32, false)) {
        return false;
      }
    }
    return true;
  }

  // The space in a copy's opcode is its destination's; a bulk copy's mbarrier is in shared memory.
  [[nodiscard]] bool names_own_space(std::uint32_t variable) const {
    const Space space = module_.variables[variable].space;
    switch (form_.prototype.op) {
      case Opcode::CpAsync:
        return space == (instruction_.operand_count == 2 ? Space::Global : form_.prototype.space);
      case Opcode::BulkCopy:
      case Opcode::BulkTensorCopy:
        return space == Space::Shared || space == Space::Global || space == Space::Const;
      default:
        return space == form_.prototype.space;
    }
  }

  [[nodiscard]] bool inside_parameter(const TextOperand& text) const {
    const std::int64_t bytes =
        std::int64_t{byte_size(form_.prototype.type)} * form_.prototype.vector;
    return form_.prototype.space == Space::Param && text.operand.value >= 0 &&
           text.operand.value + bytes <= text.symbol_bytes;
  }

  // One fragment of a matrix operation.
  bool fragment(const OperandGroup& group) {
    const auto operands = operands_of(group);
    const bool is_destination =
        instruction_.operand_count == 0 && form_.prototype.op != Opcode::WmmaStore;
    for (const TextOperand& text : operands) {
      if (text.operand.kind != OperandKind::Register ||
          text.operand.reg.cls == RegisterClass::Pred || group.memory) {
        return false;
      }
      append(text.operand);
    }
    instruction_.dest_count =
        static_cast<std::uint8_t>(is_destination ? group.count : instruction_.dest_count);
    return true;
  }

  // Textures and surfaces: never executed, kept for display.
  bool bind_anything() {
    for (const OperandGroup& group : groups_) {
      for (const TextOperand& text : operands_of(group)) {
        Operand operand = text.operand;
        operand.value = text.constant ? text.constant->bits : operand.value;
        append(operand);
      }
    }
    const bool writes = !groups_.empty() && !groups_[0].memory;
    instruction_.dest_count =
        writes ? static_cast<std::uint8_t>(groups_[0].count) : std::uint8_t{0};
    return true;
  }

  bool bind_mov() {
    if (groups_.size() != 2 || groups_[0].memory || groups_[1].memory) {
      return false;
    }
    const Type type = form_.prototype.type;
    if (groups_[0].braced || groups_[1].braced) {
      return bind_pack(groups_[0], groups_[1]);
    }
    return destination(groups_[0], type, false) && mov_source(text_.operands[groups_[1].first]);
  }

  bool mov_source(const TextOperand& text) {
    const Type type = form_.prototype.type;
    const std::uint32_t bytes = byte_size(type);
    switch (text.operand.kind) {
      case OperandKind::Special:
      case OperandKind::Variable:
      case OperandKind::Param:
        append(text.operand);
        return bytes == 4 || bytes == 8;
      case OperandKind::Function:
        append(text.operand);
        return bytes == 8 && text.operand.value == 0;
      default:
        return source_value(text, type, false);
    }
  }

  // `mov.b64 {%r1, %r2}, %rd1` and back: one side is a vector whose parts fill the other.
  bool bind_pack(const OperandGroup& to, const OperandGroup& from) {
    const OperandGroup& vector = to.braced ? to : from;
    const std::uint32_t bytes = byte_size(form_.prototype.type);
    if (to.braced == from.braced || (vector.count != 2 && vector.count != 4) ||
        bytes / vector.count < 2) {
      return false;
    }
    const Type part = bytes / vector.count == 2   ? Type::B16
                      : bytes / vector.count == 4 ? Type::B32
                                                  : Type::B64;
    instruction_.vector = static_cast<std::uint8_t>(vector.count);
    return bind_parts(to, to.braced ? part : form_.prototype.type, true) &&
           bind_parts(from, from.braced ? part : form_.prototype.type, false);
  }

  bool bind_parts(const OperandGroup& group, Type type, bool is_destination) {
    for (const TextOperand& text : operands_of(group)) {
      const bool sink = is_destination && text.operand.kind == OperandKind::None;
      if (sink) {
        append(text.operand);
      } else if ((is_destination && text.operand.kind != OperandKind::Register) ||
                 !source_value(text, type, false)) {
        return false;
      }
      instruction_.dest_count =
          static_cast<std::uint8_t>(instruction_.dest_count + (is_destination ? 1 : 0));
    }
    return true;
  }

  // Checks operands whose number depends on the modifiers.
  [[nodiscard]] bool counts_fit() const {
    const Instruction& form = form_.prototype;
    const std::size_t count = groups_.size();
    const bool has_bar = (instruction_.flags & kDestPred) != 0;
    switch (form.op) {
      case Opcode::Atom:
        return count == (form.mode == Mode::AtomCas ? 4U : 3U);
      case Opcode::Set:
      case Opcode::Setp:
        return count - (has_bar ? 1U : 0U) == (form.bool_op == BoolOp::None ? 3U : 4U);
      case Opcode::Match:
        return !has_bar || form.mode == Mode::All;
      case Opcode::Cvt: {
        const bool packs = form.source_type == Type::F32 &&
                           (form.type == Type::F16x2 || form.type == Type::BF16x2);
        return count == (packs ? 3U : 2U);
      }
      default:
        return true;
    }
  }

  const Form& form_;
  const TextOperands& text_;
  const Module& module_;
  Instruction& instruction_;
  std::vector<Operand>& operands_;
  std::size_t first_;
  std::span<const OperandGroup> groups_;
};

}  // namespace

bool bind_operands(const Form& form, const TextOperands& text, const Module& module,
                   Instruction& instruction, std::vector<Operand>& operands) {
  constexpr std::size_t kMostOperands = 255;  // Instruction::operand_count
  return text.understood && text.operands.size() <= kMostOperands &&
         Binder(form, text, module, instruction, operands).bind();
}

}  // namespace tilestep::ptx
