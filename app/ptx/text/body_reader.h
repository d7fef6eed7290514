// Private to app/ptx: the statements of one function.
#pragma once

#include "ptx/model/instruction.h"
#include "ptx/model/module.h"
#include "ptx/text/declarations.h"
#include "ptx/text/lexer.h"
#include "ptx/text/opcode_form.h"
#include "ptx/text/parsed_text.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilestep::ptx {

// Private to app/ptx: the operands of one instruction as in the text, before they are checked
// against the opcode's signature (body_reader.h).

struct TextOperand {
  Operand operand;                   // Immediate: value is not set yet, it depends on the type
  std::optional<Constant> constant;  // Immediate only
  std::uint32_t symbol_bytes = 0;    // Param, CallParam: bytes of the whole parameter
};

// The text between two commas: one operand, or several in braces.
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

// Reads up to the `;`, inclusive. Undeclared names are errors.
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

// Opcode words repeat throughout a file; each is decoded once.
class FormCache {
 public:
  [[nodiscard]] const Form& get(std::string_view word);

 private:
  std::unordered_map<std::string_view, Form> forms_;
};

// `function_name $L__info_string0` of a `.loc`: the name is in .debug_str, further down.
struct PendingInlineName {
  std::uint32_t function = 0;
  std::uint32_t line = 0;  // index into Function::lines
  std::string_view label;
  std::int64_t addend = 0;
};

// Reads a body from its `{` to its `}` into module.functions[function]. The caller declares the
// parameters in the open scope.
class BodyReader {
 public:
  BodyReader(Reading& reading, FormCache& forms, ParsedText& parsed, std::uint32_t function,
             std::vector<PendingInlineName>& inline_names);

  void read();

 private:
  using BlockId = std::uint32_t;  // a `{ }`; 0: the body itself

  struct LabelUse {
    std::string_view name;
    BlockId block = 0;
    std::uint32_t line = 0;
    std::uint32_t instruction = 0;
    std::uint32_t table = kNoPc;  // entry of a branch table: table and its element
    std::uint32_t element = 0;
  };
  struct OpenBlock {
    BlockId id = 0;
    std::uint32_t call_offset = 0;
  };

  [[nodiscard]] Function& function() { return parsed_.module.functions[function_index_]; }
  [[nodiscard]] std::uint32_t pc() {
    return static_cast<std::uint32_t>(function().instructions.size());
  }

  void read_statement();
  void open_block();
  void close_block();
  void read_directive(const Token& word);
  void read_loc();
  std::uint32_t read_inlined_at(std::uint32_t line_index);
  void read_call_param();
  void read_label(const Token& name);
  void read_branch_targets(const Token& label);
  void read_guard(Instruction& instruction);
  void read_instruction();
  void read_operands_of(const Form& form, Instruction& instruction);
  void read_bra(Instruction& instruction);
  void read_brx(Instruction& instruction);
  void read_call(Instruction& instruction);
  void read_call_list();
  [[nodiscard]] bool bind_call(Instruction& instruction, std::size_t target);
  [[nodiscard]] bool params_fit(const std::vector<Param>& params, std::size_t first,
                                std::size_t last) const;
  void add_final_return(const Token& closing_brace);
  void finish(const Token& closing_brace);
  void resolve_labels();
  [[nodiscard]] std::uint32_t find_label(const LabelUse& use) const;

  struct LabelKey {
    BlockId block;
    std::string_view name;
    friend bool operator==(const LabelKey&, const LabelKey&) = default;
  };
  struct LabelHash {
    std::size_t operator()(const LabelKey& key) const {
      return std::hash<std::string_view>{}(key.name) ^ (key.block * 0x9e3779b97f4a7c15ULL);
    }
  };

  Reading& reading_;
  Lexer& lexer_;
  FormCache& forms_;
  ParsedText& parsed_;
  std::uint32_t function_index_;
  std::vector<PendingInlineName>& inline_names_;
  RegisterSlots slots_;
  std::vector<OpenBlock> blocks_;
  std::vector<BlockId> parents_;  // of every block so far
  std::uint32_t call_offset_ = 0;
  std::uint32_t line_ = 0;  // index into Function::lines
  std::unordered_map<LabelKey, std::uint32_t, LabelHash> labels_;
  std::vector<LabelUse> uses_;
  TextOperands operands_;  // of the current instruction
};

// Private to app/ptx: the operands of an instruction checked against its opcode's signature.

// Appends the operands to `operands` and completes `instruction` (made from form.prototype). False,
// with nothing appended, if they do not fit: the instruction is then Unknown.
[[nodiscard]] bool bind_operands(const Form& form, const TextOperands& text, const Module& module,
                                 Instruction& instruction, std::vector<Operand>& operands);

}  // namespace tilestep::ptx
