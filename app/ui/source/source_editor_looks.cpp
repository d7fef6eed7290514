#include "problem/source/cuda_glossary.h"
#include "problem/words.h"
#include "ui/source/source.h"
#include "ui/widgets.h"

#include <TextDiff.h>

namespace tilestep::ui {
namespace {

constexpr Message kDiffSame = "No changes: the text on screen and the file are the same.";
constexpr Message kDiffBefore = "−  in the file";
constexpr Message kDiffAfter = "+  on screen";
constexpr float kDiffSideBySide = 56.0F;  // from this width on, in multiples of the font size
constexpr float kDiffTextScale = 0.92F;
constexpr float kDiffTint = 0.25F;

struct DifferenceMemory {
  TextDiff diff;
  TextEditor::Language language = cuda_language();
  std::string left;
  std::string right;
  const Theme* theme = nullptr;

  DifferenceMemory() {
    diff.SetLanguage(&language);
    diff.SetTabSize(2);
    diff.SetShowWhitespacesEnabled(false);
    diff.SetWordWrapEnabled(true);
  }
};

}  // namespace

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

void draw_difference(const Context& context) {
  auto& memory = context.memory.of<DifferenceMemory>();
  const workspace::FileView& file = context.view.source.file;
  const std::string& left = file.on_disk ? *file.on_disk : file.text;
  const std::string& edited = context.state.edited_source;
  const std::string& right = edited.empty() ? file.text : edited;
  if (left == right) {
    coloured_text(context.theme.text_dim, kDiffSame);
    return;
  }
  if (memory.left != left || memory.right != right) {
    memory.left = left;
    memory.right = right;
    memory.diff.SetText(left, right);
  }
  if (memory.theme != &context.theme) {
    memory.theme = &context.theme;
    memory.diff.SetPalette(editor_palette(context.theme));
    memory.diff.SetColors(with_alpha(context.theme.good, kDiffTint),
                          with_alpha(context.theme.bad, kDiffTint));
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool side_by_side = room.x > kDiffSideBySide * ImGui::GetFontSize();
  memory.diff.SetSideBySideMode(side_by_side);
  coloured_text(context.theme.bad, kDiffBefore);
  ImGui::SameLine(side_by_side ? 0.5F * room.x : 0.0F);
  coloured_text(context.theme.good, kDiffAfter);
  ImGui::PushFont(context.fonts.mono, ImGui::GetStyle().FontSizeBase * kDiffTextScale);
  memory.diff.Render("##difference", ImGui::GetContentRegionAvail());
  ImGui::PopFont();
}

}  // namespace tilestep::ui
