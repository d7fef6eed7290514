#include "ptx/model/module.h"

#include "ptx/model/source_file.h"

#include <algorithm>
#include <utility>

namespace tilestep::ptx {

bool is_float(Type type) {
  return type >= Type::F16 && type <= Type::F64;
}

bool is_signed(Type type) {
  return type >= Type::S8 && type <= Type::S64;
}

std::uint32_t byte_size(Type type) {
  switch (type) {
    case Type::None:
    case Type::Pred:
      return 0;
    case Type::B8:
    case Type::U8:
    case Type::S8:
    case Type::E4M3:
    case Type::E5M2:
      return 1;
    case Type::B16:
    case Type::U16:
    case Type::S16:
    case Type::F16:
    case Type::BF16:
      return 2;
    case Type::B32:
    case Type::U32:
    case Type::S32:
    case Type::F16x2:
    case Type::BF16x2:
    case Type::TF32:
    case Type::F32:
      return 4;
    case Type::B64:
    case Type::U64:
    case Type::S64:
    case Type::F64:
      return 8;
    case Type::B128:
      return 16;
  }
  return 0;
}

const Function* Module::find_function(std::string_view symbol) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(),
                   [&](const Function& function) { return function.symbol == symbol; });
  return found == functions.end() ? nullptr : &*found;
}

std::uint32_t statement_line(const Function& function, std::uint32_t pc) {
  if (pc >= function.instructions.size()) {
    return 0;
  }
  std::uint32_t index = function.instructions[pc].line;
  while (index > 0 && function.lines[index].line == 0) {
    --index;
  }
  // Code inlined from a header belongs to the call in the user's file that it came from. Steps go
  // to entries that stand earlier, or that have no inlined_at: no circle.
  while (index > 0 && function.lines[index].file != kSourceFile) {
    index = function.lines[index].inlined_at;
  }
  return index == 0 ? 0 : function.lines[index].line;
}

std::string_view instruction_text(const Module& module, const Instruction& instruction) {
  const std::string_view text = std::string_view(module.text).substr(instruction.text_offset);
  if (text.starts_with('}')) {
    return text.substr(0, 1);  // the return that a body without `ret` ends with
  }
  std::string_view statement = text.substr(0, text.find(';'));
  while (!statement.empty() && (statement.back() == ' ' || statement.back() == '\t' ||
                                statement.back() == '\n' || statement.back() == '\r')) {
    statement.remove_suffix(1);
  }
  return statement;
}

std::string_view opcode_text(const Module& module, const Instruction& instruction) {
  constexpr const char* kBlanks = " \t\r\n";
  std::string_view text = instruction_text(module, instruction);
  if (text.starts_with('@')) {
    text.remove_prefix(std::min(text.find_first_not_of("@! \t"), text.size()));
    text.remove_prefix(std::min(text.find_first_of(kBlanks), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  }
  return text.substr(0, text.find_first_of(kBlanks));
}

}  // namespace tilestep::ptx
