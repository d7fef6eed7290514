// The words above the matrices: where we are, what the statement did, what memory made of it.
#pragma once

#include "ui/panel.h"
#include "ui/stage/headline.h"

#include <string>

namespace tilestep::ui {

// Takes narration_height() (window_plan.h), whatever it says, so that nothing below it moves.
// `note`: about the launch, at the right end of the first line.
void paint_narration(const Context& context, const Headline& headline, const std::string& note,
                     ImVec2 from, float width);

}  // namespace tilestep::ui
