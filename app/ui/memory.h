// What panels remember from frame to frame: each its own struct, kept by type, made on first use.
//
//   struct SourceMemory { TextEditor editor; };
//   auto& memory = context.memory.of<SourceMemory>();
//
// A panel defines its struct in its own source file; nobody else needs to know it. Dropping a
// Memory at any time loses nothing the user made.
#pragma once

#include <algorithm>
#include <memory>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>

namespace tilestep::ui {

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

}  // namespace tilestep::ui
