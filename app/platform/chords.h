// Keeps keys and their modifiers together where a slow frame gets several of them at once.
//
// Dear ImGui takes as many events of its queue into a frame as it can, and stops only before a key
// that changes twice. A modifier that was pressed in an earlier frame and is let go right after the
// key changes once: Ctrl+3 would arrive as 3.
#pragma once

#include <imgui_internal.h>

#include <cstddef>
#include <span>

namespace tilestep::platform {

// What a frame may take of the keyboard. Nothing: a text field is about to have it, and what was
// typed is the field's.
enum class Keys { All, None };

// How many events from the front may share a frame: all before the first change of a modifier that
// follows the press of a key; with Keys::None all before the first key or letter.
[[nodiscard]] std::size_t events_of_one_frame(std::span<const ImGuiInputEvent> events,
                                              Keys keys = Keys::All);

// While it lives, the queue of Dear ImGui holds those events only; the others follow in the frames
// after. For the time of ImGui::NewFrame().
class OneFramesEvents {
 public:
  explicit OneFramesEvents(Keys keys = Keys::All);
  ~OneFramesEvents();
  OneFramesEvents(const OneFramesEvents&) = delete;
  OneFramesEvents& operator=(const OneFramesEvents&) = delete;
  OneFramesEvents(OneFramesEvents&&) = delete;
  OneFramesEvents& operator=(OneFramesEvents&&) = delete;

 private:
  ImVector<ImGuiInputEvent> later_;
};

}  // namespace tilestep::platform
