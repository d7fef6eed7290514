#include "ptx/text/opcode_form.h"

#include "ptx/text/constant.h"

#include <algorithm>
#include <iterator>

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
      // A copy names two spaces: the destination's comes first.
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

// Whether the form says everything that its row demands.
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

}  // namespace tilestep::ptx
