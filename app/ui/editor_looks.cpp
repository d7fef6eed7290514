#include "ui/editor_looks.h"

#include "problem/source/cuda_glossary.h"

#include <cstddef>
#include <string>

namespace tilestep::ui {

TextEditor::Language cuda_language() {
  TextEditor::Language language = *TextEditor::Language::Cpp();
  language.name = "CUDA C++";
  for (const problem::CudaTerm& term : problem::cuda_terms()) {
    const bool is_keyword = term.form.starts_with(term.word) &&
                            term.form.size() > term.word.size() &&
                            term.form[term.word.size()] == ' ';
    (is_keyword ? language.keywords : language.identifiers).insert(std::string(term.word));
  }
  for (const char* word : {"float2", "float3", "int2", "int4", "uint4"}) {
    language.identifiers.insert(word);
  }
  return language;
}

TextEditor::Language ptx_language() {
  TextEditor::Language language = *TextEditor::Language::C();
  language.name = "PTX";
  language.keywords = {"bra", "ret", "exit", "call", "bar", "barrier"};
  language.declarations = {"reg",     "param",   "shared", "global",      "local",
                           "const",   "entry",   "func",   "loc",         "file",
                           "section", "version", "target", "address_size"};
  language.identifiers = {"ld",  "st",   "mov", "add", "sub", "mul", "mad", "fma", "setp", "selp",
                          "cvt", "cvta", "shl", "shr", "and", "or",  "not", "div", "rem"};
  return language;
}

TextEditor::Palette editor_palette(const Theme& theme) {
  using Color = TextEditor::Color;
  TextEditor::Palette palette =
      theme.dark ? TextEditor::GetDarkPalette() : TextEditor::GetLightPalette();
  const auto set = [&palette](Color which, ImU32 colour) {
    palette[static_cast<std::size_t>(which)] = colour;
  };
  set(Color::text, theme.syntax.text);
  set(Color::identifier, theme.syntax.text);
  set(Color::punctuation, theme.syntax.text);
  set(Color::keyword, theme.syntax.keyword);
  set(Color::declaration, theme.syntax.type);
  set(Color::knownIdentifier, theme.syntax.function);
  set(Color::number, theme.syntax.number);
  set(Color::string, theme.syntax.string);
  set(Color::preprocessor, theme.syntax.preprocessor);
  set(Color::comment, theme.syntax.comment);
  set(Color::background, theme.panel);
  set(Color::cursor, theme.text);
  set(Color::selection, theme.selected.fill);
  set(Color::lineNumber, theme.text_dim);
  set(Color::currentLineNumber, theme.text);
  set(Color::currentLineHighlight, theme.hover);
  return palette;
}

}  // namespace tilestep::ui
