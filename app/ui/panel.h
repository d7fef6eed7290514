// What every panel is: a free function of the state and the frame's results that draws with ImGui
// and returns commands. A folder's panels are declared in its header.
//
// Contract: draw.cpp has already begun the panel's ImGui window, with the panel's
// padding and background; the function fills GetContentRegionAvail() and ends nothing it did not
// begin. Exceptions: those of overlays.h draw over everything and open their own windows;
// they are called every frame and decide by AppState whether they show. Sizes are multiples of the
// font size (ImGui::GetFontSize()), colours come from the theme, labels from tables.
#pragma once

#include "course/answer_mask.h"
#include "state/app_state.h"
#include "state/apply.h"
#include "state/command.h"
#include "workspace/workspace.h"

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

// What panels remember from frame to frame: each its own struct, kept by type, made on first use.
//
//   struct SourceMemory { TextEditor editor; };
//   auto& memory = context.memory.of<SourceMemory>();
//
// A panel defines its struct in its own source file; nobody else needs to know it. Dropping a
// Memory at any time loses nothing the user made.

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

  // A panel that animates says until when (in Context::now's seconds) it needs frames.
  void animate_until(double time) { animate_until_ = std::max(animate_until_, time); }
  // A frame is drawn that shows this moment.
  void note_frame(double now) { drawn_at_ = now; }
  // The window draws without input while this holds or the state is playing. Asked of the frame
  // that was drawn, not of the clock: a slow one must not be the last before what moves is there.
  [[nodiscard]] double animates_until() const { return animate_until_; }
  [[nodiscard]] bool wants_frames() const { return drawn_at_ < animate_until_; }

 private:
  std::unordered_map<std::type_index, std::shared_ptr<void>> slots_;
  double animate_until_ = 0.0;
  double drawn_at_ = 0.0;
};

using Commands = std::vector<state::Command>;

// What a cell says besides its colours; combined with |. Numbers are shared with shaders/cell.frag.
namespace mark {
inline constexpr std::uint32_t kNone = 0;
inline constexpr std::uint32_t kHatched = 1;  // masked lane, padding, never written
inline constexpr std::uint32_t kCut = 2;      // written: a corner is cut off
inline constexpr std::uint32_t kDashed = 4;   // dashed border
}  // namespace mark

// One instance of the cell shader (shaders/cell.vert/.frag): a rounded, outlined, optionally
// hatched rectangle in window pixels. Colours are ImGui's packed RGBA. The layout is the vertex
// buffer's: platform's attribute table mirrors it.
struct CellInstance {
  float x = 0, y = 0, w = 0, h = 0;
  ImU32 fill = 0;
  ImU32 border = 0;
  float border_width = 0;
  float radius = 0;
  std::uint32_t marks = mark::kNone;
  ImU32 mark_colour = 0;
};

// Draws instances through our own shaders at this place in the draw list's order. Implemented by
// platform; a null pointer in tests without GL draws nothing.
class CellRenderer {
 public:
  CellRenderer() = default;
  virtual ~CellRenderer() = default;
  CellRenderer(const CellRenderer&) = delete;
  CellRenderer& operator=(const CellRenderer&) = delete;
  CellRenderer(CellRenderer&&) = delete;
  CellRenderer& operator=(CellRenderer&&) = delete;
  // `clip` in window pixels: left, top, right, bottom. The span is copied.
  virtual void draw(ImDrawList& list, std::span<const CellInstance> cells, ImVec4 clip) = 0;
};

struct Fonts {
  // Every one of them also holds the icons (ui/widgets.h) and the other's arrows and box drawing.
  // PushFont(fonts.bold, 0.0F) keeps the size; sizes given to PushFont are before the UI's scale.
  ImFont* text = nullptr;  // Roboto Regular
  ImFont* bold = nullptr;  // Roboto Bold
  ImFont* mono = nullptr;  // Inconsolata
};

struct Theme;  // ui/theme.h: every colour by meaning

// What only the UI remembers from frame to frame and nobody else needs: animation clocks, the
// editor widget, hover. Nothing in it changes what is computed.
class Memory;  // ui/panel.h

struct Context {
  const state::AppState& state;
  const workspace::FrameView& view;
  const Theme& theme;
  const Fonts& fonts;
  CellRenderer* cells = nullptr;
  Memory& memory;
  double now = 0.0;  // seconds; fixed in exports
  // In exports: how far what is on stage has played, 0…1. Nothing: by the clock.
  std::optional<float> motion = std::nullopt;
  // What would give away the answer of the question that is asked; null: none is.
  const course::AnswerMask* veil = nullptr;
};

// The whole window.
// What has been executed last; nothing while a question hides it.
[[nodiscard]] inline const record::Activity& last_statement(const Context& context) {
  static const record::Activity kHidden;
  return context.view.statement == nullptr ? kHidden : *context.view.statement;
}

}  // namespace tilestep::ui
