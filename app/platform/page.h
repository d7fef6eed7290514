// What the page around the browser edition does for it (app/page.html). Only in a browser.
#pragma once

#include <optional>
#include <string>

struct GLFWwindow;

namespace tilestep::platform {

// Makes the window as large as the page, which the user resizes or turns.
void fit_to_page(GLFWwindow* window);

// A text that the page has allocated, which is freed; null: none.
[[nodiscard]] std::optional<std::string> taken(char* text);
// Whether a text field awaits letters; returns the letters of input methods and of touch keyboards,
// which send no keys.
[[nodiscard]] std::string take_letters(bool has_text_field);
// The link in the address of the page that the user opened or returned to, once.
[[nodiscard]] std::optional<std::string> take_address();
// The address of the page ends with this link from now on: a new entry of the browser's history.
void show_address(const std::string& link);
// Sets the page's live region, which screen readers read: one element for each line, so that they
// read only those that have changed. `language` is a tag.
void say_aloud(const std::string& text, const std::string& language);
// Notes when a run was first on stage.
void tell_staged();
// The clipboard's text as of the last paste.
[[nodiscard]] std::string pasted();
void copy(const char* text);

}  // namespace tilestep::platform
