// The row below a question: what can be pressed, from left to right as far as there is room. Words
// of a key give way first, then the key.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// That were counted for a choice, of all.
struct Hands {
  int count = 0;
  int all = 0;
};

class QuestionRow {
 public:
  // `box`: of the card; the row is a frame's height at its bottom.
  QuestionRow(const Context& context, const Box& box);

  // A key with what it does; may be clicked. Returns whether it was.
  bool key(const char* key, const char* words, bool is_main = false);
  // The number that is typed; `following` is what comes after it.
  void number(float following);
  // A choice with its key; its words are cut where there is no room. With hands: how many, and
  // their share of all as a strip. Returns whether it was clicked.
  bool choice(const std::string& key, const std::string& words, float share,
              const std::optional<Hands>& hands = std::nullopt);

  // How wide each of them may be at most, so that all stand in `room`; pixels.
  [[nodiscard]] float most_of_choice(const std::vector<std::string>& choices, float room) const;
  // What a key takes with its words.
  [[nodiscard]] float width_of_key(const char* key, const char* words) const;
  [[nodiscard]] float room() const { return box_.right() - x_; }

 private:
  const Context& c_;
  Box box_;
  float x_;
};

}  // namespace tilestep::ui
