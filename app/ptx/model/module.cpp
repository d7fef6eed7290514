#include "ptx/model/module.h"

#include "ptx/model/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

namespace tilestep::ptx {
namespace {

std::uint32_t file_of_first_kernel(const Module& module) {
  for (const Function& function : module.functions) {
    if (function.is_entry && function.lines.size() > 1) {
      return function.lines[1].file;
    }
  }
  return kSourceFile;
}

struct Part {
  std::string suffix;
  TypeId type = kNoType;
};

constexpr int kCountsPieces = 100;  // sm_100 and later: another compiler

// Up to sm_90 numbers are indices of elements and members; later ones count pieces.
bool numbers_are_indices(const Module& module) {
  const std::size_t digits = module.target.find('_') + 1;
  int architecture = 0;
  std::from_chars(module.target.data() + digits, module.target.data() + module.target.size(),
                  architecture);
  return architecture < kCountsPieces;
}

std::optional<Part> part_of(const Module& module, const Part& whole, std::uint32_t number) {
  const std::string index = fmt::format("{}[{}]", whole.suffix, number);
  if (whole.type == kNoType) {
    return Part{index, kNoType};
  }
  const SourceType& type = module.types[whole.type];
  if (type.kind == TypeKind::Array && number < type.count) {
    return Part{index, type.element};
  }
  if (type.kind == TypeKind::Structure && number < type.members.size()) {
    const Member& member = type.members[number];
    const bool is_base = member.name.starts_with('<');
    return Part{is_base ? whole.suffix : whole.suffix + "." + member.name, member.type};
  }
  return std::nullopt;
}

std::optional<Part> at_path(const Module& module, TypeId declared,
                            const std::vector<std::uint32_t>& path) {
  std::optional<Part> part = Part{"", declared};
  for (const std::uint32_t number : path) {
    part = part ? part_of(module, *part, number) : part;
  }
  return part;
}

// The parts that have no parts, in order; at most one more than `most`.
void add_leaves(const Module& module, const Part& whole, std::size_t most,
                std::vector<Part>& leaves) {
  std::optional<Part> part = whole.type == kNoType ? std::nullopt : part_of(module, whole, 0);
  if (!part) {
    leaves.push_back(whole);
  }
  for (std::uint32_t i = 1; part && leaves.size() <= most; ++i) {
    add_leaves(module, *part, most, leaves);
    part = part_of(module, whole, i);
  }
}

// Counted pieces identify their parts only if all parts are present.
std::optional<Part> at_count(const Module& module, TypeId declared, const MemoryVariable& piece) {
  const std::string_view symbol = split_piece(piece.symbol).whole;
  const auto pieces = static_cast<std::size_t>(
      std::ranges::count_if(module.variables, [symbol](const MemoryVariable& other) {
        return !other.path.empty() && split_piece(other.symbol).whole == symbol;
      }));
  std::vector<Part> leaves;
  add_leaves(module, {"", declared}, pieces, leaves);
  if (piece.path.size() != 1 || leaves.size() != pieces || piece.path.front() >= pieces) {
    return std::nullopt;
  }
  return leaves[piece.path.front()];
}

}  // namespace

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

std::uint32_t statement_line(const Function& function, std::uint32_t pc) {
  if (pc >= function.instructions.size()) {
    return 0;
  }
  std::uint32_t index = function.instructions[pc].line;
  while (index > 0 && function.lines[index].line == 0) {
    --index;
  }
  // Code inlined from a header belongs to the call in the user's file that it was inlined from.
  // Each step goes to an earlier entry, or to one without inlined_at, so this ends.
  while (index > 0 && function.lines[index].file != kSourceFile) {
    index = function.lines[index].inlined_at;
  }
  return index == 0 ? 0 : function.lines[index].line;
}

std::string_view instruction_text(const Module& module, const Instruction& instruction) {
  const std::string_view text = std::string_view(module.text).substr(instruction.text_offset);
  if (text.starts_with('}')) {
    return text.substr(0, 1);  // the implicit return at the end of a body without `ret`
  }
  const std::size_t end = text.find(';');
  if (module.is_machine_code && end != text.npos &&
      text.substr(end + 1).starts_with(kMachineText)) {
    const std::string_view own = text.substr(end + 1 + kMachineText.size());
    return own.substr(0, own.find('\n'));
  }
  std::string_view statement = text.substr(0, end);
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

std::uint32_t innermost_scope(const Function& function, std::uint32_t pc) {
  // Outer scopes precede inner ones, and those of one parent do not overlap.
  for (auto i = static_cast<std::uint32_t>(function.scopes.size()); i-- > 1;) {
    const Scope& scope = function.scopes[i];
    if (pc >= scope.low_pc && pc < scope.high_pc) {
      return i;
    }
  }
  return 0;
}

void sort_variables(Function& function, Scope& scope) {
  std::ranges::stable_sort(scope.variables, [&](std::uint32_t a, std::uint32_t b) {
    const SourceVariable& x = function.source_variables[a];
    const SourceVariable& y = function.source_variables[b];
    if (x.is_parameter != y.is_parameter) {
      return x.is_parameter;
    }
    return !x.is_parameter && x.decl_line < y.decl_line;
  });
}

std::vector<std::uint32_t> visible_variables(const Function& function, std::uint32_t pc) {
  std::vector<std::uint32_t> path;  // innermost first
  if (!function.scopes.empty()) {
    for (std::uint32_t scope = innermost_scope(function, pc); scope != 0;
         scope = function.scopes[scope].parent) {
      path.push_back(scope);
    }
    path.push_back(0);
  }
  std::vector<std::uint32_t> visible;  // innermost first, last declared first
  std::set<std::string_view> names;
  for (std::uint32_t scope : path) {
    const std::vector<std::uint32_t>& variables = function.scopes[scope].variables;
    for (std::size_t i = variables.size(); i-- > 0;) {
      if (names.insert(function.source_variables[variables[i]].name).second) {
        visible.push_back(variables[i]);
      }
    }
  }
  std::ranges::reverse(visible);
  return visible;
}

std::uint32_t make_source_file_first(Module& module) {
  std::uint32_t number = file_of_first_kernel(module);
  // A text may refer to files without a .file directive, even the first one.
  if (number == kSourceFile || std::max(number, kSourceFile) >= module.files.size()) {
    return kSourceFile;
  }
  std::swap(module.files[kSourceFile], module.files[number]);
  for (Function& function : module.functions) {
    for (Line& line : function.lines) {
      if (line.file == number) {
        line.file = kSourceFile;
      } else if (line.file == kSourceFile) {
        line.file = number;
      }
    }
  }
  return number;
}

TypeId innermost_element(const Module& module, TypeId type, std::vector<std::uint32_t>* counts) {
  while (type < module.types.size() && module.types[type].kind == TypeKind::Array) {
    if (counts != nullptr) {
      counts->push_back(module.types[type].count);
    }
    type = module.types[type].element;
  }
  return type < module.types.size() ? type : kNoType;
}

bool name_piece(Module& module, std::uint32_t variable, TypeId declared) {
  MemoryVariable& piece = module.variables[variable];
  if (piece.path.empty()) {
    return false;
  }
  const std::optional<Part> part = numbers_are_indices(module)
                                       ? at_path(module, declared, piece.path)
                                       : at_count(module, declared, piece);
  const bool fits = part && (part->type == kNoType ? declared == kNoType
                                                   : module.types[part->type].bytes == piece.bytes);
  piece.name = fits ? piece.whole + part->suffix : piece.whole;
  piece.type = fits ? part->type : kNoType;
  return fits;
}

}  // namespace tilestep::ptx
