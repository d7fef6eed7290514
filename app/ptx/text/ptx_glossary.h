// The opcodes of PTX: their meaning in one sentence each, their operands, and the section of the
// PTX ISA that defines them. One table, for the tooltips over PTX and over CUDA's intrinsics.
#pragma once

#include <string>
#include <string_view>

namespace tilestep::ptx {

// The version of the titles. Sections are named by title, because their numbers change from release
// to release.
inline constexpr std::string_view kPtxIsa = "PTX ISA 9.0";

struct OpcodeMeaning {
  std::string_view form;     // "add.type  d, a, b"
  std::string_view meaning;  // one sentence
  std::string section;       // "PTX ISA 9.0, Integer Arithmetic Instructions: add"

  [[nodiscard]] bool is_known() const { return !meaning.empty(); }
};
// The row for an opcode with its modifiers, "ld.shared.v4.f32": the one whose name is the longest
// dotted prefix. Not is_known(): no such opcode.
[[nodiscard]] OpcodeMeaning meaning_of_opcode(std::string_view word);

// The meaning of the words after an opcode: "shared: of the block; v4: four neighbours". Empty if
// none of them is explained.
[[nodiscard]] std::string meaning_of_modifiers(std::string_view word);

// The opcode that a CUDA function or variable compiles to: "__syncthreads" → "bar.sync"; empty: no
// single one.
[[nodiscard]] std::string_view opcode_of_intrinsic(std::string_view word);

// The opcode with its modifiers at a column (0-based) of a line of PTX; empty: none there.
[[nodiscard]] std::string_view opcode_at(std::string_view line, std::size_t column);

}  // namespace tilestep::ptx
