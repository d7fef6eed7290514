// What the compiler says, below the text: the cause first, what follows from it folded.
#pragma once

#include "ui/panel.h"
#include "ui/source_editor.h"

#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// Messages by the line of `file` that they are of.
void mark_messages(const std::vector<compile::Diagnostic>& diagnostics, const std::string& file,
                   LineMarks& marks);

// Errors, or with no error warnings: "2 errors".
[[nodiscard]] std::string message_count(const std::vector<compile::Diagnostic>& diagnostics);
[[nodiscard]] bool has_error(const std::vector<compile::Diagnostic>& diagnostics);

// Height in pixels that the list takes of `room`; 0: there are no messages.
[[nodiscard]] float message_list_height(const Context& context, float width, float room);
// Returns the message that was clicked.
[[nodiscard]] std::optional<compile::Diagnostic> draw_message_list(const Context& context,
                                                                   float height);

}  // namespace tilestep::ui
