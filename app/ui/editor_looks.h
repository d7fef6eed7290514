// How the text widgets look: languages to highlight, the theme's colours.
#pragma once

#include "ui/theme.h"

#include <TextEditor.h>

namespace tilestep::ui {

[[nodiscard]] TextEditor::Language cuda_language();
[[nodiscard]] TextEditor::Language ptx_language();
[[nodiscard]] TextEditor::Palette editor_palette(const Theme& theme);

}  // namespace tilestep::ui
