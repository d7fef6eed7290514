// Removes from the frame what would reveal the answer of the open question, so that panels need not
// hide it. For the rest, panels query Context::mask.
#pragma once

#include "course/answer_mask.h"
#include "problem/words.h"
#include "ui/panel.h"
#include "workspace/generation.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilestep::ui {

// Holds a context without the answer of the open question; without one, the given context.
class MaskedContext {
 public:
  explicit MaskedContext(const Context& given);
  MaskedContext(const MaskedContext&) = delete;
  MaskedContext& operator=(const MaskedContext&) = delete;
  MaskedContext(MaskedContext&&) = delete;
  MaskedContext& operator=(MaskedContext&&) = delete;
  ~MaskedContext() = default;

  [[nodiscard]] const Context& context() const { return masked_ ? *masked_ : given_; }

 private:
  const Context& given_;
  std::optional<course::AnswerMask> mask_;
  workspace::FrameView view_;
  std::optional<Context> masked_;
};

// The question of the lesson's beat is on screen, asked or answered.
[[nodiscard]] bool has_question(const Context& context);
[[nodiscard]] bool is_asked(const Context& context);

// True if the run after the question's place, or findings, or counts are hidden.
[[nodiscard]] bool hides_run(const Context& context);
[[nodiscard]] bool hides(const Context& context, course::Topic topic);
// Timings would reveal answers about counts.
[[nodiscard]] bool hides_timings(const Context& context);
// The speed of a kernel is also hidden from a user who guesses its curve.
[[nodiscard]] bool hides_speed(const Context& context, const std::string& kernel);
// The text, or its replacement if it contains the answer.
[[nodiscard]] std::string masked(const Context& context, std::string text);

// Everything that a text about the focus thread at the step on stage depends on.
struct FrameKey {
  workspace::Generation generation;
  std::uint64_t step = 0;
  state::Focus focus;
  const void* sums = nullptr;  // by address
  std::string mask;            // AnswerMask::key()
  std::string language;
  friend bool operator==(const FrameKey&, const FrameKey&) = default;
};
// Requires a scene.
[[nodiscard]] FrameKey frame_key(const Context& context);

// Replaces the whole content of a panel.
inline constexpr Message kHiddenUntilAnswered = "Hidden until you answer.";

}  // namespace tilestep::ui
