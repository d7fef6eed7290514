// What one undo takes back in the editor: what was typed in one go, not a single character.
//
// The library counts every character as a change of its own; this knows where a stroke of them
// began. Pure: the caller has the clock.
#pragma once

#include <cstddef>
#include <iterator>
#include <set>

namespace tilestep::ui {

class UndoStrokes {
 public:
  static constexpr double kOneStroke = 0.8;  // seconds from one character to the next

  void clear() { *this = {}; }

  // `changes`: how many the editor can undo now. `line`: of the caret. Other jumps than by one
  // character (pasted, replaced) are a stroke each.
  void note(std::size_t changes, std::size_t line, double now) {
    if (changes == count_) {
      return;
    }
    const bool goes_on = changes == count_ + 1 && line == line_ && now - latest_ < kOneStroke;
    if (!goes_on) {
      begins_.erase(begins_.lower_bound(count_), begins_.end());
      begins_.insert(count_);
    }
    count_ = changes;
    line_ = line;
    latest_ = now;
  }
  // To how many changes an undo goes back, and a redo forward.
  [[nodiscard]] std::size_t undo_to() const {
    const auto begin = begins_.lower_bound(count_);
    return begin == begins_.begin() ? 0 : *std::prev(begin);
  }
  [[nodiscard]] std::size_t redo_to() const {
    const auto begin = begins_.upper_bound(count_);
    return begin == begins_.end() ? static_cast<std::size_t>(-1) : *begin;
  }
  // They were carried out: what comes next is another stroke.
  void moved_to(std::size_t changes) {
    count_ = changes;
    latest_ = -kOneStroke;
  }

 private:
  std::set<std::size_t> begins_;
  std::size_t count_ = 0;
  std::size_t line_ = 0;
  double latest_ = -kOneStroke;
};

}  // namespace tilestep::ui
