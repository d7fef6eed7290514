#include "platform/chords.h"

#include <algorithm>

namespace tilestep::platform {
namespace {

bool is_modifier(ImGuiKey key) {
  return (key & ImGuiMod_Mask_) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper) ||
         (key >= ImGuiKey_ReservedForModCtrl && key <= ImGuiKey_ReservedForModSuper);
}

}  // namespace

std::size_t events_of_one_frame(std::span<const ImGuiInputEvent> events, Keys keys) {
  if (keys == Keys::None) {
    const auto first = std::ranges::find_if(events, [](const ImGuiInputEvent& event) {
      return event.Type == ImGuiInputEventType_Key || event.Type == ImGuiInputEventType_Text;
    });
    return static_cast<std::size_t>(first - events.begin());
  }
  bool key_went_down = false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].Type != ImGuiInputEventType_Key) {
      continue;
    }
    if (is_modifier(events[i].Key.Key)) {
      if (key_went_down) {
        return i;
      }
    } else {
      key_went_down = key_went_down || events[i].Key.Down;
    }
  }
  return events.size();
}

OneFramesEvents::OneFramesEvents(Keys keys) {
  ImGuiContext& context = *ImGui::GetCurrentContext();
  if (!context.IO.ConfigInputTrickleEventQueue && keys == Keys::All) {
    return;
  }
  ImVector<ImGuiInputEvent>& queue = context.InputEventsQueue;
  const auto count = static_cast<int>(
      events_of_one_frame({queue.Data, static_cast<std::size_t>(queue.Size)}, keys));
  for (int i = count; i < queue.Size; ++i) {
    later_.push_back(queue[i]);
  }
  queue.resize(count);
}

// Runs before anything new is added, because the queue's contents decide whether a key has changed.
OneFramesEvents::~OneFramesEvents() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  for (const ImGuiInputEvent& event : later_) {
    queue.push_back(event);
  }
}

}  // namespace tilestep::platform
