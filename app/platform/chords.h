// Keeps keys and their modifiers together if a slow frame gets several of them at once.
//
// Dear ImGui takes as many queued events into a frame as it can, and stops only before a key that
// changes twice. A modifier that was pressed in an earlier frame and is released right after the
// key changes only once: Ctrl+3 would arrive as 3.
#pragma once

#include <imgui_internal.h>

#include <cstddef>
#include <span>

namespace tilestep::platform {

// The keyboard events that a frame may take. None: a text field is about to have the keyboard, and
// typed characters belong to it.
enum class Keys { All, None };

// The number of events from the front that may share a frame: all before the first change of a
// modifier after the press of a key; with Keys::None all before the first key or letter.
[[nodiscard]] std::size_t events_of_one_frame(std::span<const ImGuiInputEvent> events,
                                              Keys keys = Keys::All);

// During its lifetime, Dear ImGui's queue has only these events; the others follow in the next
// frames. Create it around ImGui::NewFrame().
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
