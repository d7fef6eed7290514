// What the opcodes of PTX do, in one sentence each, how their operands are written, and where the
// PTX ISA defines them. One table, which the hover over PTX and over CUDA's intrinsics reads.
#pragma once

#include <string>
#include <string_view>

namespace tilestep::ptx {

// The version that the titles are from. Sections are named by title: their numbers change from
// release to release.
inline constexpr std::string_view kPtxIsa = "PTX ISA 9.0";

struct OpcodeMeaning {
  std::string_view form;     // "add.type  d, a, b"
  std::string_view meaning;  // one sentence
  std::string section;       // "PTX ISA 9.0, Integer Arithmetic Instructions: add"

  [[nodiscard]] bool is_known() const { return !meaning.empty(); }
};
// Of an opcode with its words, "ld.shared.v4.f32": the row whose name is the longest dotted part of
// it from the front. Not is_known(): no such opcode.
[[nodiscard]] OpcodeMeaning meaning_of_opcode(std::string_view word);

// What the words after an opcode add: "shared: of the block; v4: four neighbours". Empty where none
// of them is explained.
[[nodiscard]] std::string meaning_of_modifiers(std::string_view word);

// The opcode that a function or variable of CUDA's becomes: "__syncthreads" → "bar.sync"; empty:
// none of one name.
[[nodiscard]] std::string_view opcode_of_intrinsic(std::string_view word);

// The opcode with its words in a line of PTX where a column (0-based) is on it; empty: it is not.
[[nodiscard]] std::string_view opcode_at(std::string_view line, std::size_t column);

}  // namespace tilestep::ptx
