// Where we are, in words: the focus block's phase, and what the last statement did; at the end of
// the run, what came out.
#pragma once

#include "ui/panel.h"
#include "ui/stage/content.h"

#include <string>

namespace tilestep::ui {

enum class Verdict { None, Right, Wrong };

struct Headline {
  std::string where;     // "Phase 4 of 5 · product 3 of 4 · block (1,0)"
  std::string phase;     // "multiply tile 1"
  std::string sentence;  // told.sentence, or what came out, as plain text
  narration::Narration told;
  Verdict verdict = Verdict::None;  // of a complete run
};
// While a phase plays: what it did is said once it is over.
[[nodiscard]] Headline while_playing(const ContentInputs& inputs);
[[nodiscard]] Headline make_headline(const ContentInputs& inputs, const StageContent& content);

}  // namespace tilestep::ui
