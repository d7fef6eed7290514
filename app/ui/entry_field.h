// A field over the stage that asks for one line: Enter takes it, Esc leaves it.
#pragma once

#include "ui/panel.h"

#include <array>
#include <functional>
#include <string>

namespace tilestep::ui {

struct EntryField {
  std::array<char, 512> text{};
  bool is_open = false;
  bool asks_again = false;  // what was entered could not be done: it has the keyboard again
};

// Opens it with a text in it.
void begin_entry(EntryField& entry, const std::string& text);

enum class EntryAnswer { None, Enter, Leave };

struct EntryWords {
  const char* window;  // its ImGui id
  std::string title;
  const char* hint;
  const char* help;  // null: none
};

struct EntryWays {
  // Of what is typed now; empty: none. Enter does not take a mistake.
  std::function<std::string(const std::string& text)> mistake{};
  // What Tab makes of what is typed; null: Tab does nothing.
  std::function<std::string(const std::string& text)> complete{};
  std::function<void()> below{};  // draws what else there is to choose
};

[[nodiscard]] EntryAnswer draw_entry(const Context& context, EntryField& entry,
                                     const EntryWords& words, const EntryWays& ways);

}  // namespace tilestep::ui
