// Private to app/ptx: the result of reading the text of a PTX file, before its debug information is
// decoded.
//
// parse() = parse_text() + attach_debug_info(). parse_text() knows PTX and nothing of DWARF: it
// keeps the `.section` bodies as bytes with the symbols to insert. attach_debug_info() knows DWARF
// and nothing of PTX's grammar.
#pragma once

#include "problem/result.h"
#include "ptx/model/module.h"
#include "ptx/text/lexer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilestep::ptx {

// A label of a function body, and the instruction after it. A label after the last instruction
// ($L__func_end0) has pc = instructions.size(). Several labels may share a pc.
struct LabelPlace {
  std::uint32_t function = 0;  // index into Module::functions
  std::uint32_t pc = 0;
};

// `.b64 $L__tmp7`, `.b32 .debug_loc+204`, `.b64 __local_depot2`: `bytes` bytes at `offset` of the
// section are the address of `symbol` plus `addend`. The symbol is a label, a section's name, or
// the symbol of a MemoryVariable, a Param or a Function.
struct SectionReference {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::string_view symbol;
  std::int64_t addend = 0;
};

// `.section .debug_info { … }`: its bytes, little-endian; references are zeroes there.
struct Section {
  std::string_view name;  // ".debug_info"
  std::vector<std::byte> bytes;
  std::vector<SectionReference> references;                        // ascending offsets
  std::vector<std::pair<std::string_view, std::uint32_t>> labels;  // label inside → offset
  std::uint32_t text_line = 0;                                     // 1-based, of `.section`
};

// Every string_view points into module.text, so this moves but does not copy. (The text is too long
// for a small-string buffer: without `.version` and `.target` it would not have parsed.)
struct ParsedText {
  Module module;
  std::unordered_map<std::string_view, LabelPlace>
      labels;  // function-level labels of all functions
  std::vector<Section> sections;

  ParsedText() = default;
  ParsedText(ParsedText&&) noexcept = default;
  ParsedText& operator=(ParsedText&&) noexcept = default;
  ParsedText(const ParsedText&) = delete;
  ParsedText& operator=(const ParsedText&) = delete;
  ~ParsedText() = default;
};

// Everything in the file except its debug information: Module::types, Module::globals,
// MemoryVariable::type, Function::scopes, source_variables and events stay empty.
[[nodiscard]] Result<ParsedText> parse_text(std::string ptx_text);

// Private to app/ptx: `.section .debug_info { … }` as bytes.

// Called after `.section`. Reports its errors to the lexer.
[[nodiscard]] Section read_section(Lexer& lexer);

}  // namespace tilestep::ptx
