// What is known of a word of the source that the pointer is on: the variable's type, where it is
// and its value in the thread that is followed; what a word of CUDA's means.
#pragma once

#include "ui/panel.h"

#include <string>
#include <vector>

namespace tilestep::ui {

// Lines of a tooltip; empty where nothing is known.
struct WordFacts {
  std::string title;               // "float As[4][4]", "void __syncthreads()"
  std::string value;               // "acc = 19"
  std::vector<std::string> texts;  // sentences
};
[[nodiscard]] WordFacts word_facts(const Context& context, const std::string& word);

// False where nothing is known: then there is no tooltip.
bool draw_word_hover(const Context& context, const std::string& word);

}  // namespace tilestep::ui
