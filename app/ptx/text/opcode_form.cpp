#include "ptx/text/opcode_form.h"

#include "ptx/text/constant.h"

#include <algorithm>

namespace tilestep::ptx {
namespace {

// `.lo.hi`, `.rn.rz`: a second word for the same thing contradicts the first.
template <class Enum>
[[nodiscard]] bool set_once(Enum& field, std::uint16_t value) {
  const bool is_first = field == Enum::None;
  field = static_cast<Enum>(value);
  return is_first;
}

// Collects what the modifiers of one word say.
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
      // cp.async names two spaces: the destination's comes first.
      const bool first = to.space == Space::Generic;
      to.space = first ? static_cast<Space>(modifier.value) : to.space;
      return first || to.op == Opcode::CpAsync;
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
  }
  return false;
}

// Opcodes with a second type: of the sources (or of one of them).
[[nodiscard]] bool takes_two_types(Opcode op) {
  return op == Opcode::Cvt || op == Opcode::Set || op == Opcode::Slct || op == Opcode::Dp4a ||
         op == Opcode::Dp2a;
}

[[nodiscard]] bool type_count_fits(const Decoder& decoder, const OpcodeRow& row) {
  if (row.groups & kMatrixWord) {
    return decoder.type_count >= 1;
  }
  if (row.op == Opcode::Vabsdiff4) {
    const Type* types = decoder.form.matrix.types;
    return decoder.type_count == 3 && types[1] == types[2];
  }
  if (row.groups & kAnyWord) {
    return true;
  }
  const bool typed = row.types != 0;
  return decoder.type_count == (!typed ? 0U : takes_two_types(row.op) ? 2U : 1U);
}

[[nodiscard]] bool rounds_to_integer(Rounding rounding) {
  return rounding >= Rounding::Rni && rounding <= Rounding::Rpi;
}

[[nodiscard]] bool rounds_to_float(Rounding rounding) {
  return (rounding >= Rounding::Rn && rounding <= Rounding::Rp) || rounding == Rounding::Rna;
}

// Which conversions round, and to what (PTX ISA 9.0, 9.7.9.21).
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

// What an opcode demands beyond its table row.
[[nodiscard]] bool is_complete(const Instruction& form) {
  const bool integer = !is_float(form.type);
  switch (form.op) {
    case Opcode::Mul:
    case Opcode::Mad:
      return integer == (form.mode != Mode::None) &&
             (form.mode != Mode::Wide || byte_size(form.type) <= 4);
    case Opcode::MadC:
    case Opcode::Mul24:
    case Opcode::Mad24:
    case Opcode::Dp2a:
      return form.mode == Mode::Lo || form.mode == Mode::Hi;
    case Opcode::Set:
    case Opcode::Setp:
      return form.compare != Compare::None;
    case Opcode::Shf:
    case Opcode::Shfl:
    case Opcode::Vote:
    case Opcode::Match:
    case Opcode::Atom:
    case Opcode::Red:
    case Opcode::Redux:
    case Opcode::Bar:
    case Opcode::Testp:
      return form.mode != Mode::None;
    case Opcode::Cvta:
    case Opcode::Isspacep:
      return form.space != Space::Generic;
    case Opcode::Cvt:
      return cvt_is_complete(form);
    case Opcode::Div:
      return integer == (form.rounding == Rounding::None);
    case Opcode::Fma:
    case Opcode::Rcp:
    case Opcode::Sqrt:
    case Opcode::Rsqrt:
    case Opcode::Sin:
    case Opcode::Cos:
    case Opcode::Lg2:
    case Opcode::Ex2:
    case Opcode::Tanh:
      return form.rounding != Rounding::None;
    default:
      return true;
  }
}

// `mad.rn.f32` is fma under an older name (PTX ISA 9.0, 9.7.3.7).
void use_one_name(Form& form) {
  if (form.prototype.op == Opcode::Mad && is_float(form.prototype.type)) {
    form.prototype.op = Opcode::Fma;
    form.signature = "daaa";
  }
}

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
  return is_complete(decoder.form.prototype) ? decoder.form : Form{};
}

}  // namespace tilestep::ptx
