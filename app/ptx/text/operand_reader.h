// Private to app/ptx: the operands of one instruction as the text has them, before they are checked
// against what the opcode expects (operand_binding.h).
#pragma once

#include "ptx/model/instruction.h"
#include "ptx/text/constant.h"
#include "ptx/text/lexer.h"
#include "ptx/text/symbol_table.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilestep::ptx {

struct TextOperand {
  Operand operand;                   // Immediate: value is not set yet, it depends on the type
  std::optional<Constant> constant;  // Immediate only
  std::uint32_t symbol_bytes = 0;    // Param, CallParam: bytes of the whole parameter
};

// What stands between two commas: one operand, or several in braces.
struct OperandGroup {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool braced = false;
  bool after_bar = false;  // `d|p`: this is p
  bool memory = false;     // in brackets
};

struct TextOperands {
  std::vector<TextOperand> operands;
  std::vector<OperandGroup> groups;
  bool understood = true;  // false: something legal that has no Operand (%r1.b0, %pm0)

  void clear();
};

// Reads up to the `;`, which is taken. Undeclared names are errors.
void read_operands(Lexer& lexer, const SymbolTable& symbols, TextOperands& into);
// One operand of a call or a vector: a name, a constant or `_`.
void read_operand(Lexer& lexer, const SymbolTable& symbols, TextOperands& into);

struct SpecialName {
  SpecialRegister special{};
  std::int64_t number = 0;  // %envreg3: 3
};
enum class SpecialLookup { Found, Unsupported, NotSpecial };
SpecialLookup find_special_register(std::string_view name, SpecialName& found);
[[nodiscard]] std::string_view special_register_name(SpecialRegister special);

}  // namespace tilestep::ptx
