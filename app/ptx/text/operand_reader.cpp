#include "ptx/text/operand_reader.h"

#include "problem/tr.h"

#include <fmt/format.h>

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

// The operand a name stands for; undeclared names are errors.
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

// `+ 8`, `- 4`, `+-8` after a name; 0 when there is none.
std::int64_t read_offset(Lexer& lexer) {
  if (lexer.accept('+')) {
    return read_constant_expression(lexer).bits;
  }
  return lexer.peek().is('-') ? read_constant_expression(lexer).bits : 0;
}

// The base of an address: what a name means between brackets.
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

}  // namespace tilestep::ptx
