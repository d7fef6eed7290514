#include "problem/tr.h"
#include "ptx/text/body_reader.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>

namespace tilestep::ptx {
namespace {

Operand operand_of(const Symbol& symbol) {
  Operand operand;
  operand.index = symbol.index;
  switch (symbol.kind) {
    case SymbolKind::Register:
      operand.kind = OperandKind::Register;
      operand.reg = symbol.reg;
      break;
    case SymbolKind::Variable:
      operand.kind = OperandKind::Variable;
      break;
    case SymbolKind::Param:
      operand.kind = OperandKind::Param;
      break;
    case SymbolKind::CallParam:
      operand.kind = OperandKind::CallParam;
      break;
    case SymbolKind::Function:
      operand.kind = OperandKind::Function;
      break;
    case SymbolKind::Prototype:
    case SymbolKind::Targets:
      break;
  }
  return operand;
}

// The operand that a name refers to; undeclared names are errors.
TextOperand resolve(Lexer& lexer, const SymbolTable& symbols, const Token& name,
                    TextOperands& into) {
  TextOperand result;
  if (name.text == "_") {
    return result;
  }
  if (const auto symbol = symbols.find(name.text)) {
    result.operand = operand_of(*symbol);
    result.symbol_bytes = symbol->bytes;
    into.understood = into.understood && result.operand.kind != OperandKind::None;
    return result;
  }
  SpecialName special;
  switch (find_special_register(name.text, special)) {
    case SpecialLookup::Found:
      result.operand.kind = OperandKind::Special;
      result.operand.index = static_cast<std::uint32_t>(special.special);
      result.operand.value = special.number;
      return result;
    case SpecialLookup::Unsupported:
      into.understood = false;
      return result;
    case SpecialLookup::NotSpecial:
      break;
  }
  // `%r1.b0`, `%r1.h1`: a part of a register, which only video instructions have.
  const std::size_t dot = name.text.rfind('.');
  if (dot != std::string_view::npos && dot > 0 && symbols.find(name.text.substr(0, dot))) {
    into.understood = false;
    return result;
  }
  lexer.error(name.line, tr("'{}' is not declared here.", name.text));
  return result;
}

// `+ 8`, `- 4`, `+-8` after a name; 0 if there is none.
std::int64_t read_offset(Lexer& lexer) {
  if (lexer.accept('+')) {
    return read_constant_expression(lexer).bits;
  }
  return lexer.peek().is('-') ? read_constant_expression(lexer).bits : 0;
}

// The base of an address: the meaning of a name between brackets.
void make_memory(TextOperand& base, TextOperands& into) {
  switch (base.operand.kind) {
    case OperandKind::Register:
      base.operand.kind = OperandKind::Memory;
      break;
    case OperandKind::Variable:
      base.operand.kind = OperandKind::MemoryVariable;
      break;
    case OperandKind::Immediate:
      base.operand.kind = OperandKind::MemoryAbsolute;
      base.operand.value = base.constant->bits;
      base.constant.reset();
      break;
    case OperandKind::Param:
    case OperandKind::CallParam:
      break;
    default:
      into.understood = false;
  }
}

void read_memory(Lexer& lexer, const SymbolTable& symbols, TextOperands& into) {
  const std::size_t base = into.operands.size();
  read_operand(lexer, symbols, into);
  if (lexer.failed()) {
    return;
  }
  make_memory(into.operands[base], into);
  // [handle, {x, y}]: textures and surfaces.
  while (lexer.accept(',')) {
    const bool braced = lexer.accept('{');
    do {
      read_operand(lexer, symbols, into);
    } while (braced && lexer.accept(','));
    if (braced) {
      lexer.expect('}', "after the coordinates of a texture access");
    }
    into.groups.back().braced = true;
  }
  lexer.expect(']', "at the end of an address");
}

void read_braces(Lexer& lexer, const SymbolTable& symbols, TextOperands& into) {
  do {
    read_operand(lexer, symbols, into);
  } while (lexer.accept(','));
  lexer.expect('}', "at the end of a vector operand");
}

void read_group(Lexer& lexer, const SymbolTable& symbols, TextOperands& into) {
  OperandGroup opened;
  opened.first = static_cast<std::uint32_t>(into.operands.size());
  into.groups.push_back(opened);
  if (lexer.accept('[')) {
    into.groups.back().memory = true;
    read_memory(lexer, symbols, into);
  } else if (lexer.accept('{')) {
    into.groups.back().braced = true;
    read_braces(lexer, symbols, into);
  } else {
    const bool negated = lexer.accept('!');
    read_operand(lexer, symbols, into);
    if (negated && !lexer.failed()) {
      into.operands.back().operand.negated = true;
    }
  }
  OperandGroup& group = into.groups.back();
  group.count = static_cast<std::uint32_t>(into.operands.size()) - group.first;
}

using S = SpecialRegister;

struct NamedSpecial {
  std::string_view name;
  SpecialRegister special;
};

// Sorted by name (PTX ISA 9.0, chapter 10).
constexpr NamedSpecial kSpecials[] = {
    {"%clock", S::Clock},
    {"%clock64", S::Clock64},
    {"%clock_hi", S::ClockHi},
    {"%cluster_ctaid.x", S::ClusterCtaidX},
    {"%cluster_ctaid.y", S::ClusterCtaidY},
    {"%cluster_ctaid.z", S::ClusterCtaidZ},
    {"%cluster_ctarank", S::ClusterCtarank},
    {"%cluster_nctaid.x", S::ClusterNctaidX},
    {"%cluster_nctaid.y", S::ClusterNctaidY},
    {"%cluster_nctaid.z", S::ClusterNctaidZ},
    {"%cluster_nctarank", S::ClusterNctarank},
    {"%ctaid.x", S::CtaidX},
    {"%ctaid.y", S::CtaidY},
    {"%ctaid.z", S::CtaidZ},
    {"%dynamic_smem_size", S::DynamicSmemSize},
    {"%globaltimer", S::Globaltimer},
    {"%globaltimer_hi", S::GlobaltimerHi},
    {"%globaltimer_lo", S::GlobaltimerLo},
    {"%gridid", S::Gridid},
    {"%laneid", S::Laneid},
    {"%lanemask_eq", S::LanemaskEq},
    {"%lanemask_ge", S::LanemaskGe},
    {"%lanemask_gt", S::LanemaskGt},
    {"%lanemask_le", S::LanemaskLe},
    {"%lanemask_lt", S::LanemaskLt},
    {"%nctaid.x", S::NctaidX},
    {"%nctaid.y", S::NctaidY},
    {"%nctaid.z", S::NctaidZ},
    {"%nsmid", S::Nsmid},
    {"%ntid.x", S::NtidX},
    {"%ntid.y", S::NtidY},
    {"%ntid.z", S::NtidZ},
    {"%nwarpid", S::Nwarpid},
    {"%reserved_smem_offset_begin", S::ReservedSmemBegin},
    {"%reserved_smem_offset_cap", S::ReservedSmemCap},
    {"%reserved_smem_offset_end", S::ReservedSmemEnd},
    {"%smid", S::Smid},
    {"%tid.x", S::TidX},
    {"%tid.y", S::TidY},
    {"%tid.z", S::TidZ},
    {"%total_smem_size", S::TotalSmemSize},
    {"%warpid", S::Warpid},
};

constexpr bool special_by_name(const NamedSpecial& a, const NamedSpecial& b) {
  return a.name < b.name;
}
static_assert(std::is_sorted(std::begin(kSpecials), std::end(kSpecials), special_by_name));

// Followed by a number.
constexpr NamedSpecial kNumbered[] = {
    {"%envreg", S::Envreg},
    {"%reserved_smem_offset_", S::ReservedSmemOffset},
};

// Special registers of the manual that describe hardware without a counterpart in a simulation.
constexpr std::string_view kUnsupported[] = {
    "%aggr_smem_size",
    "%clusterid.",
    "%current_graph_exec",
    "%is_explicit_cluster",
    "%nclusterid.",
    "%pm",
    "%reserved_smem_offset_",
    "%ctaid",
    "%ntid",
    "%nctaid",
    "%tid",
    "%cluster_ctaid",
    "%cluster_nctaid",
};

}  // namespace

void TextOperands::clear() {
  operands.clear();
  groups.clear();
  understood = true;
}

void read_operand(Lexer& lexer, const SymbolTable& symbols, TextOperands& into) {
  if (lexer.peek().kind == TokenKind::Word && !lexer.peek().is("WARP_SZ")) {
    const Token name = lexer.take();
    TextOperand operand = resolve(lexer, symbols, name, into);
    if (lexer.peek().is('+') || lexer.peek().is('-')) {
      operand.operand.value += read_offset(lexer);
    }
    into.operands.push_back(operand);
    return;
  }
  TextOperand operand;
  operand.operand.kind = OperandKind::Immediate;
  operand.constant = read_constant_expression(lexer);
  into.operands.push_back(operand);
}

void read_operands(Lexer& lexer, const SymbolTable& symbols, TextOperands& into) {
  if (lexer.accept(';')) {
    return;
  }
  read_group(lexer, symbols, into);
  while (!lexer.at_end()) {
    const bool after_bar = lexer.accept('|');
    if (!after_bar && !lexer.accept(',')) {
      break;
    }
    read_group(lexer, symbols, into);
    into.groups.back().after_bar = after_bar;
  }
  lexer.expect(';', "after the operands of an instruction");
}

SpecialLookup find_special_register(std::string_view name, SpecialName& found) {
  if (!name.starts_with('%')) {
    return SpecialLookup::NotSpecial;
  }
  const auto* special = std::lower_bound(std::begin(kSpecials), std::end(kSpecials),
                                         NamedSpecial{name, S::TidX}, special_by_name);
  if (special != std::end(kSpecials) && special->name == name) {
    found = {special->special, 0};
    return SpecialLookup::Found;
  }
  for (const NamedSpecial& numbered : kNumbered) {
    if (name.starts_with(numbered.name)) {
      const char* const end = name.data() + name.size();
      const auto [parsed, failure] =
          std::from_chars(name.data() + numbered.name.size(), end, found.number);
      if (failure == std::errc{} && parsed == end) {
        found.special = numbered.special;
        return SpecialLookup::Found;
      }
    }
  }
  const bool known = std::any_of(std::begin(kUnsupported), std::end(kUnsupported),
                                 [&](std::string_view prefix) { return name.starts_with(prefix); });
  return known ? SpecialLookup::Unsupported : SpecialLookup::NotSpecial;
}

std::string_view special_register_name(SpecialRegister special) {
  const auto name_in = [&](std::span<const NamedSpecial> names) -> std::string_view {
    const auto found = std::ranges::find_if(
        names, [&](const NamedSpecial& named) { return named.special == special; });
    return found == names.end() ? std::string_view() : found->name;
  };
  const std::string_view name = name_in(kSpecials);
  return name.empty() ? name_in(kNumbered) : name;
}

}  // namespace tilestep::ptx
