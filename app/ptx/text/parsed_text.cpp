#include "ptx/text/parsed_text.h"

#include "problem/problem.h"
#include "problem/tr.h"
#include "ptx/model/names.h"
#include "ptx/text/body_reader.h"
#include "ptx/text/declarations.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace tilestep::ptx {
namespace {

// `.visible .weak .extern .common` before a declaration.
struct Linkage {
  std::uint32_t line = 0;  // of the start of the declaration
  bool is_extern = false;
};

// The statements outside functions.
class TextReader {
 public:
  TextReader(ParsedText& parsed, std::string_view text)
      : parsed_(parsed), module_(parsed.module), reading_(text), lexer_(reading_.lexer) {}

  [[nodiscard]] bool read() {
    read_header();
    while (!lexer_.at_end()) {
      read_statement();
    }
    if (!lexer_.failed()) {
      resolve_relocations(reading_, module_);
      resolve_aliases();
      name_everything();
    }
    return !lexer_.failed();
  }

  [[nodiscard]] const Error& error() const { return lexer_.first_error(); }

 private:
  struct Alias {
    std::uint32_t from = 0;  // index into Module::functions: a declaration
    std::uint32_t to = 0;
  };

  // `.version 9.0`, `.target sm_80, debug`: the mark of a PTX text.
  void read_header() {
    if (!lexer_.accept(".version")) {
      lexer_.error_expected(tr("'.version' at the start of the PTX"));
      return;
    }
    module_.version = lexer_.take().text;
    if (!lexer_.accept(".target")) {
      lexer_.error_expected(tr("'.target' after '.version'"));
      return;
    }
    module_.target = lexer_.expect_word("the name of a target").text;
    while (lexer_.accept(',')) {
      module_.is_debug = lexer_.expect_word("a target option").is("debug") || module_.is_debug;
    }
  }

  void read_statement() {
    const Token word = lexer_.expect_word("a directive");
    if (word.text == ".section") {
      parsed_.sections.push_back(read_section(lexer_));
    } else if (word.text == ".file") {
      read_file();
    } else if (word.text == ".address_size") {
      if (lexer_.expect_count("an address size") != 64) {
        lexer_.error(word.line, tr("only 64-bit PTX is read: compile without -m32."));
      }
    } else if (word.text == ".pragma") {
      lexer_.skip_statement();
    } else if (word.text == ".alias") {
      read_alias();
    } else {
      read_declaration(word);
    }
  }

  // `.file 1 "tiled.cu"`, possibly with a time and a size.
  void read_file() {
    constexpr std::uint32_t kMostFiles = 1U << 16;
    const std::uint32_t line = lexer_.peek().line;
    const std::uint32_t number = lexer_.expect_count("a file number");
    if (lexer_.peek().kind != TokenKind::String) {
      lexer_.error_expected(tr("the name of a file"));
      return;
    }
    if (number >= kMostFiles) {
      lexer_.error(line, tr("{} is too large to be a file number.", number));
      return;
    }
    if (module_.files.size() <= number) {
      module_.files.resize(number + 1);
    }
    module_.files[number] = lexer_.take().text;
    while (lexer_.accept(',')) {
      lexer_.expect_count("a time or a size");
    }
  }

  void read_declaration(Token word) {
    Linkage linkage{word.line, false};
    while (word.text == ".visible" || word.text == ".weak" || word.text == ".extern" ||
           word.text == ".common") {
      linkage.is_extern = linkage.is_extern || word.text == ".extern";
      word = lexer_.expect_word("a declaration");
    }
    if (word.text == ".entry" || word.text == ".func") {
      read_function(word.text == ".entry", linkage);
    } else if (const auto space = variable_space(word.text)) {
      read_variables(reading_, module_, *space, linkage.is_extern, kFileScope);
    } else if (!lexer_.failed()) {
      lexer_.error(word.line, tr("unknown directive '{}'.", word.text));
    }
  }

  // Parameters are in scope for the body only.
  void read_function(bool is_entry, const Linkage& linkage) {
    reading_.symbols.open_scope();
    Function declared;
    declared.is_entry = is_entry;
    declared.first_text_line = linkage.line;
    const Token name = read_signature(declared);
    read_performance_directives(declared);
    const bool has_body = lexer_.peek().is('{');
    declared.is_defined = has_body;
    if (!has_body) {
      declared.last_text_line = lexer_.peek().line;
      lexer_.expect(';', "after the declaration of a function");
    }
    if (!lexer_.failed()) {
      const std::uint32_t index = declare_function(name, std::move(declared));
      if (has_body && !lexer_.failed()) {
        BodyReader(reading_, forms_, parsed_, index, inline_names_).read();
      }
    }
    reading_.symbols.close_scope();
  }

  // `(.param .b32 func_retval0) name (.param …)`. The parameter area holds the parameters first,
  // then the returned values; the text has the opposite order.
  Token read_signature(Function& declared) {
    if (lexer_.accept(".attribute")) {
      skip_attribute(lexer_);
    }
    std::uint32_t return_bytes = 0;
    std::vector<std::string_view> return_names;
    if (lexer_.peek().is('(')) {
      declared.returns = read_param_list(reading_, return_bytes, return_names);
    }
    const Token name = lexer_.expect_word("the name of a function");
    declared.symbol = name.text;
    std::uint32_t offset = 0;
    std::vector<std::string_view> param_names;
    if (lexer_.peek().is('(')) {
      declared.params = read_param_list(reading_, offset, param_names);
    }
    std::uint32_t alignment = 1;
    for (const Param& value : declared.returns) {
      alignment = std::max(alignment, value.align);
    }
    declared.return_offset = align_up(offset, alignment);
    declared.param_bytes = declared.return_offset + return_bytes;
    for (Param& value : declared.returns) {
      value.offset += declared.return_offset;
    }
    declare_params(declared.params, param_names, name.line);
    declare_params(declared.returns, return_names, name.line);
    return name;
  }

  void declare_params(const std::vector<Param>& params, const std::vector<std::string_view>& names,
                      std::uint32_t line) {
    for (std::size_t i = 0; i < params.size() && !lexer_.failed(); ++i) {
      const Symbol symbol{SymbolKind::Param, {}, params[i].offset, params[i].bytes};
      // Declarations without a body may name every parameter `_`.
      if (names[i] != "_" && !reading_.symbols.declare(names[i], symbol)) {
        lexer_.error(line, tr("parameter '{}' is declared twice.", names[i]));
      }
    }
  }

  // `.maxntid 256, 1, 1`, `.minnctapersm 2`, `.noreturn`, `.pragma "…";`: only the block size
  // matters for a launch.
  void read_performance_directives(Function& declared) {
    while (lexer_.peek().kind == TokenKind::Word && lexer_.peek().text.starts_with('.')) {
      const Token word = lexer_.take();
      if (word.text == ".pragma") {
        lexer_.skip_statement();
      } else if (word.text == ".maxntid" || word.text == ".reqntid") {
        read_block_size(declared);
      } else {
        while (lexer_.peek().kind == TokenKind::Number || lexer_.peek().is(',')) {
          lexer_.take();
        }
      }
    }
  }

  void read_block_size(Function& declared) {
    for (std::uint32_t& size : declared.max_ntid) {
      size = 1;
    }
    for (std::size_t i = 0; i < std::size(declared.max_ntid); ++i) {
      declared.max_ntid[i] = lexer_.expect_count("a block size");
      if (!lexer_.accept(',')) {
        return;
      }
    }
  }

  // A definition replaces its forward declaration.
  std::uint32_t declare_function(const Token& name, Function declared) {
    if (const auto before = functions_.find(name.text); before != functions_.end()) {
      Function& function = module_.functions[before->second];
      if (function.is_defined && declared.is_defined) {
        lexer_.error(name.line, tr("function '{}' is defined twice.", name.text));
      } else if (!function.is_defined) {
        function = std::move(declared);
      }
      return before->second;
    }
    const auto index = static_cast<std::uint32_t>(module_.functions.size());
    module_.functions.push_back(std::move(declared));
    functions_.emplace(name.text, index);
    if (!reading_.symbols.declare_global(name.text, {SymbolKind::Function, {}, index, 0})) {
      lexer_.error(name.line, tr("'{}' is declared twice.", name.text));
    }
    return index;
  }

  // `.alias name, other;`: calls to name run other.
  void read_alias() {
    const Token from = lexer_.expect_word("the name of a function");
    lexer_.expect(',', "between the names of an alias");
    const Token to = lexer_.expect_word("the name of a function");
    lexer_.expect(';', "after an alias");
    if (lexer_.failed()) {
      return;
    }
    const auto first = functions_.find(from.text);
    const auto second = functions_.find(to.text);
    if (first == functions_.end() || second == functions_.end()) {
      const Token& missing = first == functions_.end() ? from : to;
      lexer_.error(missing.line, tr("function '{}' is not declared.", missing.text));
      return;
    }
    aliases_.push_back({first->second, second->second});
  }

  void resolve_aliases() {
    const auto redirect = [&](std::uint32_t& function) {
      for (const Alias& alias : aliases_) {
        function = function == alias.from ? alias.to : function;
      }
    };
    if (aliases_.empty()) {
      return;
    }
    for (Function& function : module_.functions) {
      for (Operand& operand : function.operands) {
        if (operand.kind == OperandKind::Function) {
          redirect(operand.index);
        }
      }
    }
    for (MemoryVariable& variable : module_.variables) {
      for (MemoryVariable::Relocation& relocation : variable.relocations) {
        if (relocation.is_function) {
          redirect(relocation.variable);
        }
      }
    }
  }

  void name_everything() {
    for (Function& function : module_.functions) {
      function.name = short_function_name(function.symbol);
      function.is_builtin = !function.is_entry && function.lines.size() <= 1;
    }
    for (MemoryVariable& variable : module_.variables) {
      variable.name = short_variable_name(variable.symbol);
      variable.path = split_piece(variable.symbol).path;
      variable.whole = variable.path.empty() ? "" : variable.name;
    }
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
      name_piece(module_, i, kNoType);
    }
    for (const PendingInlineName& pending : inline_names_) {
      module_.functions[pending.function].lines[pending.line].function =
          short_function_name(info_string(pending));
    }
  }

  // The zero-terminated string at a label of .debug_str.
  [[nodiscard]] std::string info_string(const PendingInlineName& pending) const {
    std::string text;
    for (const Section& section : parsed_.sections) {
      const auto label = std::ranges::find_if(
          section.labels, [&](const auto& candidate) { return candidate.first == pending.label; });
      if (label == section.labels.end()) {
        continue;
      }
      auto place = static_cast<std::uint64_t>(std::int64_t{label->second} + pending.addend);
      for (; place < section.bytes.size() && section.bytes[place] != std::byte{0}; ++place) {
        text += static_cast<char>(section.bytes[place]);
      }
      break;
    }
    return text;
  }

  ParsedText& parsed_;
  Module& module_;
  Reading reading_;
  Lexer& lexer_;
  FormCache forms_;
  std::unordered_map<std::string_view, std::uint32_t> functions_;
  std::vector<Alias> aliases_;
  std::vector<PendingInlineName> inline_names_;
};

// Bytes of one `.b8`, `.b16`, `.b32`, `.b64` item; 0: another word.
std::uint32_t item_bytes(std::string_view word) {
  if (word == ".b8") {
    return 1;
  }
  if (word == ".b16") {
    return 2;
  }
  if (word == ".b32") {
    return 4;
  }
  return word == ".b64" ? 8 : 0;
}

// `.b32 $L__end-$L__start`: known once all labels of the section are.
struct Difference {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::string_view end;
  std::string_view start;
  std::uint32_t line = 0;
};

class SectionReader {
 public:
  explicit SectionReader(Lexer& lexer) : lexer_(lexer) {}

  Section read() {
    section_.text_line = lexer_.peek().line;
    section_.name = lexer_.expect_word("the name of a section").text;
    lexer_.expect('{', "after the name of a section");
    while (!lexer_.at_end() && !lexer_.peek().is('}')) {
      read_line();
    }
    lexer_.expect('}', "at the end of a section");
    std::ranges::for_each(differences_,
                          [this](const Difference& difference) { resolve(difference); });
    return std::move(section_);
  }

 private:
  [[nodiscard]] std::uint32_t offset() const {
    return static_cast<std::uint32_t>(section_.bytes.size());
  }

  void read_line() {
    const Token word = lexer_.expect_word("data (.b8, .b32, .b64) or a label in a section");
    const std::uint32_t bytes = item_bytes(word.text);
    if (bytes == 0) {
      section_.labels.emplace_back(word.text, offset());
      lexer_.expect(':', "after a label in a section");
      return;
    }
    do {
      read_item(bytes);
    } while (lexer_.accept(','));
  }

  void read_item(std::uint32_t bytes) {
    std::uint64_t number = 0;
    if (lexer_.accept_number(number)) {
      append(number, bytes);
    } else if (lexer_.peek().kind == TokenKind::Word) {
      read_symbol(bytes);
    } else {
      append(static_cast<std::uint64_t>(read_constant_expression(lexer_).bits), bytes);
    }
  }

  void read_symbol(std::uint32_t bytes) {
    SectionReference reference{offset(), bytes, lexer_.take().text, 0};
    append(0, bytes);
    if (lexer_.accept('-')) {
      if (lexer_.peek().kind == TokenKind::Word) {
        const Token start = lexer_.take();
        differences_.push_back({reference.offset, bytes, reference.symbol, start.text, start.line});
        return;
      }
      reference.addend = -read_constant_expression(lexer_).bits;
    } else if (lexer_.accept('+')) {
      reference.addend = read_constant_expression(lexer_).bits;
    }
    section_.references.push_back(reference);
  }

  void append(std::uint64_t value, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) {
      section_.bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> find_label(std::string_view name) const {
    for (const auto& [label, place] : section_.labels) {
      if (label == name) {
        return place;
      }
    }
    return std::nullopt;
  }

  void resolve(const Difference& difference) {
    const auto end = find_label(difference.end);
    const auto start = find_label(difference.start);
    if (!end || !start) {
      lexer_.error(difference.line, tr("both labels of '{}-{}' must be in this section.",
                                       difference.end, difference.start));
      return;
    }
    for (std::uint32_t i = 0; i < difference.bytes; ++i) {
      section_.bytes[difference.offset + i] =
          static_cast<std::byte>(std::uint64_t{*end - *start} >> (8 * i));
    }
  }

  Lexer& lexer_;
  Section section_;
  std::vector<Difference> differences_;
};

}  // namespace

Result<ParsedText> parse_text(std::string ptx_text) {
  // Instruction::text_offset and the sections count in 32 bits.
  if (ptx_text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return fail(tr("The PTX text is larger than 4 GB."));
  }
  ParsedText parsed;
  parsed.module.text = std::move(ptx_text);
  TextReader reader(parsed, parsed.module.text);
  if (!reader.read()) {
    return tl::unexpected(reader.error());
  }
  return parsed;
}

Section read_section(Lexer& lexer) {
  return SectionReader(lexer).read();
}

}  // namespace tilestep::ptx
