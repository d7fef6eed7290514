#include "ptx/text/declarations.h"

#include "problem/problem.h"
#include "problem/tr.h"
#include "ptx/text/opcode_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace tilestep::ptx {
namespace {

// More than any GPU has; keeps a damaged size from exhausting memory.
constexpr std::uint64_t kLargestVariable = 1ULL << 30;
constexpr std::uint64_t kLargestInitialised = 1ULL << 26;
constexpr std::uint32_t kLargestParam = 1U << 16;
constexpr std::uint32_t kLargestAlignment = 1U << 16;
constexpr std::uint32_t kMostRegisters = 1U << 20;

std::uint32_t read_alignment(Lexer& lexer) {
  const std::uint32_t line = lexer.peek().line;
  const std::uint32_t alignment = lexer.expect_count("an alignment");
  if (!std::has_single_bit(alignment) || alignment > kLargestAlignment) {
    lexer.error(
        line, tr("an alignment is a power of two up to {}, not {}.", kLargestAlignment, alignment));
    return 1;
  }
  return alignment;
}

std::uint64_t read_dimension(Lexer& lexer) {
  const std::int64_t value = read_constant_expression(lexer).bits;
  if (value < 0 || static_cast<std::uint64_t>(value) > kLargestVariable) {
    lexer.error(lexer.peek().line, tr("this array is too large."));
    return 1;
  }
  return static_cast<std::uint64_t>(value);
}

// `[4][16]`; an empty first pair of brackets is 0.
std::vector<std::uint64_t> read_dimensions(Lexer& lexer) {
  std::vector<std::uint64_t> dimensions;
  while (lexer.accept('[')) {
    dimensions.push_back(lexer.peek().is(']') ? 0 : read_dimension(lexer));
    lexer.expect(']', "after the size of an array");
  }
  return dimensions;
}

// The part of a declaration before the names: `.align 8 .v2 .f32`.
struct ElementType {
  Type type = Type::None;
  std::uint32_t vector = 1;
  std::uint32_t align = 0;  // 0: natural

  [[nodiscard]] std::uint32_t bytes() const { return byte_size(type) * vector; }
  [[nodiscard]] std::uint32_t alignment() const { return align != 0 ? align : bytes(); }
};

// `.param .u64 .ptr .global .align 16 name`: describes a kernel pointer's pointee, for compilers
// only.
void skip_pointer_hints(Lexer& lexer) {
  while (lexer.peek().kind == TokenKind::Word && lexer.peek().text.starts_with('.')) {
    if (lexer.take().text == ".align") {
      read_alignment(lexer);
    }
  }
}

ElementType read_element_type(Lexer& lexer) {
  ElementType element;
  while (lexer.peek().kind == TokenKind::Word && lexer.peek().text.starts_with('.')) {
    const Token word = lexer.take();
    if (word.text == ".align") {
      element.align = read_alignment(lexer);
    } else if (word.text == ".attribute") {
      skip_attribute(lexer);
    } else if (word.text == ".v2" || word.text == ".v4") {
      element.vector = word.text == ".v2" ? 2 : 4;
    } else if (word.text == ".ptr") {
      skip_pointer_hints(lexer);
    } else if (word.text == ".texref" || word.text == ".samplerref" || word.text == ".surfref") {
      element.type = Type::B64;  // opaque
    } else if (const auto type = type_word(word.text); type && *type != Type::Pred) {
      element.type = *type;
    } else {
      lexer.error(word.line, tr("expected a type, but found '{}'.", word.text));
    }
  }
  if (element.type == Type::None) {
    lexer.error_expected(tr("the type of a declaration"));
    element.type = Type::B8;
  }
  return element;
}

// Writes the initializer of one variable into its bytes.
class Initializer {
 public:
  Initializer(Reading& reading, Module& module, std::uint32_t variable, const ElementType& element,
              std::vector<std::uint64_t> dimensions)
      : reading_(reading),
        lexer_(reading.lexer),
        module_(module),
        variable_(variable),
        element_(element),
        dimensions_(std::move(dimensions)) {
    if (element_.vector > 1) {
      dimensions_.push_back(element_.vector);
    }
  }

  void read() {
    if (module_.variables[variable_].bytes > kLargestInitialised) {
      lexer_.error(lexer_.peek().line, tr("this array with an initializer is too large."));
      return;
    }
    std::uint64_t end = 0;
    read_level(0, end);
    MemoryVariable& variable = module_.variables[variable_];
    variable.bytes = std::max<std::uint64_t>(variable.bytes, bytes_.size());
    bytes_.resize(variable.bytes);
    variable.initial = std::move(bytes_);
  }

 private:
  // Bytes of one element at the given nesting level.
  [[nodiscard]] std::uint64_t stride(std::size_t level) const {
    std::uint64_t bytes = byte_size(element_.type);
    for (std::size_t i = level; i < dimensions_.size(); ++i) {
      bytes *= dimensions_[i];
    }
    return bytes;
  }

  void read_level(std::size_t level, std::uint64_t& offset) {
    if (!lexer_.accept('{')) {
      read_value(offset);
      return;
    }
    if (level > dimensions_.size()) {
      lexer_.error(lexer_.peek().line,
                   tr("an initializer has more levels of braces than its array has dimensions."));
      return;
    }
    const std::uint64_t begin = offset;
    while (!lexer_.at_end() && !lexer_.peek().is('}')) {
      read_level(level + 1, offset);
      if (!lexer_.accept(',')) {
        break;
      }
    }
    lexer_.expect('}', "at the end of an initializer");
    if (level > 0) {
      offset = begin + stride(level);
    }
  }

  void read_value(std::uint64_t& offset) {
    const std::uint64_t declared = module_.variables[variable_].bytes;
    const std::uint32_t bytes = byte_size(element_.type);
    if ((declared != 0 && offset + bytes > declared) || offset > kLargestInitialised) {
      lexer_.error(lexer_.peek().line, tr("an initializer is longer than its array."));
      return;
    }
    if (bytes_.size() < offset + bytes) {
      bytes_.resize(offset + bytes);
    }
    if (lexer_.peek().kind == TokenKind::Word && !lexer_.peek().is("WARP_SZ")) {
      read_symbol(offset, {0, 0, 0, false, false, static_cast<std::uint8_t>(bytes), 0});
    } else {
      read_number(offset);
    }
    offset += bytes;
  }

  void read_number(std::uint64_t offset) {
    const Constant constant = read_constant_expression(lexer_);
    if (lexer_.accept('(')) {  // 0xFF00(symbol): one byte of an address
      read_masked_symbol(offset, static_cast<std::uint64_t>(constant.bits));
      return;
    }
    const auto bits = constant_bits(constant, element_.type);
    if (!bits && !lexer_.failed()) {
      lexer_.error(lexer_.peek().line, tr("an initializer does not fit the type of its array."));
      return;
    }
    const std::uint32_t bytes = byte_size(element_.type);
    const auto value = static_cast<std::uint64_t>(bits.value_or(0));
    for (std::uint32_t i = 0; i < std::min(bytes, 8U); ++i) {
      bytes_[offset + i] = static_cast<std::byte>(value >> (8 * i));
    }
  }

  void read_masked_symbol(std::uint64_t offset, std::uint64_t mask) {
    const int shift = std::countr_zero(mask);
    if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xff || byte_size(element_.type) != 1) {
      lexer_.error(lexer_.peek().line,
                   tr("a mask before a symbol selects one byte of its address."));
      return;
    }
    read_symbol(offset, {0, 0, 0, false, false, 1, static_cast<std::uint8_t>(shift)});
    lexer_.expect(')', "after a masked symbol");
  }

  // `name`, `name+8`, `generic(name)+8`
  void read_symbol(std::uint64_t offset, MemoryVariable::Relocation relocation) {
    relocation.offset = static_cast<std::uint32_t>(offset);
    relocation.generic = lexer_.peek().is("generic");
    Token name = lexer_.take();
    if (relocation.generic) {
      lexer_.expect('(', "after generic");
      name = lexer_.expect_word("a symbol");
      lexer_.expect(')', "after a symbol");
    }
    if (lexer_.peek().is('+') || lexer_.peek().is('-')) {
      relocation.addend = read_constant_expression(lexer_).bits;
    }
    auto& relocations = module_.variables[variable_].relocations;
    reading_.relocations.push_back(
        {variable_, static_cast<std::uint32_t>(relocations.size()), name.text, name.line});
    relocations.push_back(relocation);
  }

  Reading& reading_;
  Lexer& lexer_;
  Module& module_;
  std::uint32_t variable_;
  const ElementType element_;
  std::vector<std::uint64_t> dimensions_;
  std::vector<std::byte> bytes_;
};

// The variable that a name declares: a new one, or one that an `.extern` line declared before.
std::uint32_t declare_variable(Reading& reading, Module& module, const Token& name,
                               const MemoryVariable& declared) {
  if (declared.function == kFileScope) {
    const auto before = reading.symbols.find(name.text);
    if (before && before->kind == SymbolKind::Variable) {
      MemoryVariable& variable = module.variables[before->index];
      if (variable.space == declared.space && (variable.is_extern || declared.is_extern)) {
        variable = variable.is_extern ? declared : variable;
        return before->index;
      }
    }
  }
  const auto index = static_cast<std::uint32_t>(module.variables.size());
  module.variables.push_back(declared);
  if (!reading.symbols.declare(name.text, {SymbolKind::Variable, {}, index, 0})) {
    reading.lexer.error(name.line, tr("'{}' is declared twice.", name.text));
  }
  return index;
}

std::uint64_t total_bytes(Lexer& lexer, const ElementType& element,
                          const std::vector<std::uint64_t>& dimensions) {
  std::uint64_t bytes = element.bytes();
  for (const std::uint64_t dimension : dimensions) {
    bytes *= dimension;
    if (bytes > kLargestVariable) {
      lexer.error(lexer.peek().line, tr("this array is too large."));
      return 0;
    }
  }
  return bytes;
}

void place_in_frame(MemoryVariable& variable, Function& function) {
  variable.local_offset = align_up(function.local_bytes, variable.align);
  function.local_bytes = variable.local_offset + static_cast<std::uint32_t>(variable.bytes);
}

std::optional<RegisterClass> register_class(Type type) {
  switch (byte_size(type)) {
    case 1:
    case 2:
      return RegisterClass::B16;
    case 4:
      return RegisterClass::B32;
    case 8:
      return RegisterClass::B64;
    case 16:
      return RegisterClass::B128;
    default:
      return type == Type::Pred ? std::optional(RegisterClass::Pred) : std::nullopt;
  }
}

void declare_family(Reading& reading, Function& function, RegisterSlots& slots, const Token& prefix,
                    RegisterClass cls) {
  Lexer& lexer = reading.lexer;
  const std::uint32_t count = lexer.expect_count("the number of registers");
  lexer.expect('>', "after the number of registers");
  if (count > kMostRegisters || function.registers.size() > kMostRegisters) {
    lexer.error(prefix.line, tr("this function has too many registers."));
    return;
  }
  Register reg = slots.take(cls, count);
  if (!reading.symbols.declare_family(prefix.text, count, reg)) {
    lexer.error(prefix.line, tr("'{}<>' is declared twice.", prefix.text));
  }
  function.register_names.reserve(function.register_names.size() + count);
  for (std::uint32_t i = 0; i < count; ++i) {
    function.register_names.push_back(fmt::format("{}{}", prefix.text, i));
    function.registers.push_back(reg);
    reg.index += register_stride(cls);
  }
}

}  // namespace

std::optional<Type> type_word(std::string_view word) {
  if (!word.starts_with('.')) {
    return std::nullopt;
  }
  const Modifier* const modifier = find_modifier(word.substr(1), kTypeWord);
  return modifier == nullptr ? std::nullopt : std::optional(static_cast<Type>(modifier->value));
}

void skip_attribute(Lexer& lexer) {
  lexer.expect('(', "after .attribute");
  for (int depth = 1; depth > 0 && !lexer.at_end();) {
    const Token token = lexer.take();
    depth += token.is('(') ? 1 : token.is(')') ? -1 : 0;
  }
}

std::optional<Space> variable_space(std::string_view word) {
  if (word == ".shared") {
    return Space::Shared;
  }
  if (word == ".global" || word == ".tex") {
    return Space::Global;
  }
  if (word == ".const") {
    return Space::Const;
  }
  return word == ".local" ? std::optional(Space::Local) : std::nullopt;
}

void read_variables(Reading& reading, Module& module, Space space, bool is_extern,
                    std::uint32_t function) {
  Lexer& lexer = reading.lexer;
  const ElementType element = read_element_type(lexer);
  do {
    const Token name = lexer.expect_word("the name of a variable");
    const std::vector<std::uint64_t> dimensions = read_dimensions(lexer);
    MemoryVariable declared;
    declared.symbol = name.text;
    declared.space = space;
    declared.bytes = total_bytes(lexer, element, dimensions);
    declared.align = element.alignment();
    declared.is_extern = is_extern;
    declared.function = function;
    if (lexer.failed()) {
      return;
    }
    const std::uint32_t index = declare_variable(reading, module, name, declared);
    if (space == Space::Local && function != kFileScope) {
      place_in_frame(module.variables[index], module.functions[function]);
    }
    if (lexer.accept('=')) {
      Initializer(reading, module, index, element, dimensions).read();
    }
  } while (lexer.accept(','));
  lexer.expect(';', "after a variable declaration");
}

void resolve_relocations(Reading& reading, Module& module) {
  for (const PendingRelocation& pending : reading.relocations) {
    const auto symbol = reading.symbols.find(pending.symbol);
    const bool names_address =
        symbol && (symbol->kind == SymbolKind::Variable || symbol->kind == SymbolKind::Function);
    if (!names_address) {
      reading.lexer.error(pending.line,
                          tr("'{}' in an initializer is not declared.", pending.symbol));
      return;
    }
    auto& relocation = module.variables[pending.variable].relocations[pending.relocation];
    relocation.variable = symbol->index;
    relocation.is_function = symbol->kind == SymbolKind::Function;
  }
}

Param read_param(Lexer& lexer, std::string_view& name) {
  const ElementType element = read_element_type(lexer);
  const Token token = lexer.expect_word("the name of a parameter");
  name = token.text;
  Param param;
  param.symbol = name;
  param.type = element.type;
  const std::vector<std::uint64_t> dimensions = read_dimensions(lexer);
  const std::uint64_t bytes = total_bytes(lexer, element, dimensions);
  if (bytes > kLargestParam) {
    lexer.error(token.line, tr("parameter '{}' is too large.", name));
    return param;
  }
  param.bytes = static_cast<std::uint32_t>(bytes);
  param.align = element.alignment();
  return param;
}

std::vector<Param> read_param_list(Reading& reading, std::uint32_t& offset,
                                   std::vector<std::string_view>& names) {
  Lexer& lexer = reading.lexer;
  std::vector<Param> params;
  lexer.expect('(', "before a list of parameters");
  while (!lexer.at_end() && !lexer.peek().is(')')) {
    if (!lexer.accept(".param")) {
      lexer.error_expected(tr(".param (functions take no registers under the calling convention)"));
      break;
    }
    std::string_view name;
    Param param = read_param(lexer, name);
    offset = align_up(offset, param.align);
    param.offset = offset;
    offset += param.bytes;
    params.push_back(std::move(param));
    names.push_back(name);
    if (!lexer.accept(',')) {
      break;
    }
  }
  lexer.expect(')', "after a list of parameters");
  return params;
}

Register RegisterSlots::take(RegisterClass cls, std::uint32_t count) {
  if (cls == RegisterClass::Pred) {
    predicates += count;
    return {cls, predicates - count};
  }
  const std::uint32_t stride = register_stride(cls);
  const std::uint32_t first = align_up(words, stride);
  words = first + count * stride;
  return {cls, first};
}

void read_registers(Reading& reading, Function& function, RegisterSlots& slots) {
  Lexer& lexer = reading.lexer;
  const Token word = lexer.expect_word("the type of a register");
  const auto type = type_word(word.text);
  const auto cls = type ? register_class(*type) : std::nullopt;
  if (!cls) {
    lexer.error(word.line, tr("expected the type of a register, but found '{}'.", word.text));
    return;
  }
  do {
    const Token name = lexer.expect_word("the name of a register");
    if (lexer.accept('<')) {
      declare_family(reading, function, slots, name, *cls);
      continue;
    }
    const Register reg = slots.take(*cls, 1);
    if (!lexer.failed() && !reading.symbols.declare(name.text, {SymbolKind::Register, reg, 0, 0})) {
      lexer.error(name.line, tr("register '{}' is declared twice.", name.text));
    }
    function.register_names.emplace_back(name.text);
    function.registers.push_back(reg);
  } while (lexer.accept(','));
  lexer.expect(';', "after a register declaration");
}

}  // namespace tilestep::ptx
