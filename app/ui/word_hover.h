// What is known of a word of the source that the pointer is on: the variable's type, where it is
// and its value in the thread that is followed; what a word of CUDA's means.
#pragma once

#include "ui/panel.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::ui {

// Lines of a tooltip; empty where nothing is known.
struct WordFacts {
  std::string title;               // "float As[4][4]", "void __syncthreads()"
  std::string value;               // "acc = 19"
  std::vector<std::string> texts;  // sentences, and at last where they are from
};
[[nodiscard]] WordFacts word_facts(const Context& context, const std::string& word);

// Of the opcode that a line of PTX has at a column (0-based): what it does, how its operands are
// written, where the PTX ISA defines it.
[[nodiscard]] WordFacts opcode_facts(std::string_view line, std::size_t column);

// False where nothing is known: then there is no tooltip.
bool draw_word_hover(const Context& context, const std::string& word);
bool draw_opcode_hover(const Context& context, std::string_view line, std::size_t column);

}  // namespace tilestep::ui
