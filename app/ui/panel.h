// The contract of every panel: a free function of the state and the frame's results that draws with
// ImGui and returns commands. A folder's panels are declared in its header.
//
// draw.cpp has already begun the panel's ImGui window, with the panel's padding and background; the
// function fills GetContentRegionAvail() and ends nothing that it did not begin. Exceptions: the
// functions of overlays.h draw over everything and open their own windows; they are called every
// frame, and AppState decides whether they are shown. Sizes are multiples of the font size
// (ImGui::GetFontSize()), colors are from the theme, labels from tables.
#pragma once

#include "course/answer_mask.h"
#include "state/app_state.h"
#include "state/apply.h"
#include "state/command.h"
#include "workspace/frame_view.h"

#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace tilestep::ui {

// Memory of panels across frames: each panel has its own struct, stored by type and made on first
// use.
//
//   struct SourceMemory { TextEditor editor; };
//   auto& memory = context.memory.of<SourceMemory>();
//
// A panel defines its struct in its own source file. Dropping a Memory at any time loses nothing
// that the user made.

class Memory {
 public:
  template <class T>
  [[nodiscard]] T& of() {
    std::shared_ptr<void>& slot = slots_[std::type_index(typeid(T))];
    if (slot == nullptr) {
      slot = std::make_shared<T>();
    }
    return *static_cast<T*>(slot.get());
  }

  // An animating panel needs frames until `time` (in Context::now's seconds).
  void animate_until(double time) { animate_until_ = std::max(animate_until_, time); }
  // Notes that a frame shows this moment.
  void note_frame(double now) { drawn_at_ = now; }
  // The window draws without input while this holds or the state is playing. It depends on the
  // drawn frame, not on the clock: a slow frame must not be the last one before the animation ends.
  [[nodiscard]] double animates_until() const { return animate_until_; }
  [[nodiscard]] bool wants_frames() const { return drawn_at_ < animate_until_; }

 private:
  std::unordered_map<std::type_index, std::shared_ptr<void>> slots_;
  double animate_until_ = 0.0;
  double drawn_at_ = 0.0;
};

using Commands = std::vector<state::Command>;

// Marks of a cell besides its colors; combined with |. Values are shared with shaders/cell.frag.
namespace mark {
inline constexpr std::uint32_t kNone = 0;
inline constexpr std::uint32_t kHatched = 1;  // masked lane, padding, never written
inline constexpr std::uint32_t kCut = 2;      // stored: a corner is cut off
inline constexpr std::uint32_t kDashed = 4;   // dashed border
}  // namespace mark

// One instance of the cell shader (shaders/cell.vert/.frag): a rounded, outlined, optionally
// hatched rectangle in window pixels. Colors are ImGui's packed RGBA. The layout is that of the
// vertex buffer; platform's attribute table mirrors it.
struct CellInstance {
  float x = 0, y = 0, w = 0, h = 0;
  ImU32 fill = 0;
  ImU32 border = 0;
  float border_width = 0;
  float radius = 0;
  std::uint32_t marks = mark::kNone;
  ImU32 mark_colour = 0;
};

// Draws instances with our own shaders at this position in the draw list. Implemented by platform;
// null in tests without GL, which then draw nothing.
class CellRenderer {
 public:
  CellRenderer() = default;
  virtual ~CellRenderer() = default;
  CellRenderer(const CellRenderer&) = delete;
  CellRenderer& operator=(const CellRenderer&) = delete;
  CellRenderer(CellRenderer&&) = delete;
  CellRenderer& operator=(CellRenderer&&) = delete;
  // `clip` in window pixels: left, top, right, bottom. Copies the span.
  virtual void draw(ImDrawList& list, std::span<const CellInstance> cells, ImVec4 clip) = 0;
};

// The window's fonts.
struct Fonts {
  // Each font also has the icons (ui/widgets.h) and the other fonts' arrows and box drawing.
  // PushFont(fonts.bold, 0.0F) keeps the size; sizes passed to PushFont are before the UI's scale.
  ImFont* text = nullptr;  // Roboto Regular
  ImFont* bold = nullptr;  // Roboto Bold
  ImFont* mono = nullptr;  // Inconsolata
};

struct Theme;  // ui/theme.h: every color by meaning

// Data that only the UI keeps across frames: animation clocks, the editor widget, hover. It does
// not affect what is computed.
class Memory;  // ui/panel.h

// Everything that a panel draws a frame from.
struct Context {
  const state::AppState& state;
  const workspace::FrameView& view;
  const Theme& theme;
  const Fonts& fonts;
  CellRenderer* cells = nullptr;
  Memory& memory;
  double now = 0.0;  // seconds; fixed in exports
  // In exports: the played share of the animation on stage, 0…1. Nullopt: by the clock.
  std::optional<float> motion = std::nullopt;
  // Hides what would give away the answer of the open question; null: no question.
  const course::AnswerMask* mask = nullptr;
  bool is_embedded = false;  // only the stage, its sentence and the step bar
};

// The latest executed statement; empty while a question hides it.
[[nodiscard]] inline const record::Activity& last_statement(const Context& context) {
  static const record::Activity kHidden;
  return context.view.run.statement == nullptr ? kHidden : *context.view.run.statement;
}

}  // namespace tilestep::ui
