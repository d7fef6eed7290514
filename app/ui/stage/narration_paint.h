// The words above the matrices: where we are, what the statement did, what memory made of it.
#pragma once

#include "ui/panel.h"
#include "ui/stage/geometry.h"
#include "ui/stage/headline.h"

#include <string>

namespace tilestep::ui {

// Whatever it says, nothing below it moves. `note`: about the launch, at the right end of the first
// line. Short: one line, with the sentence's short form at its right end.
void paint_narration(const Context& context, const Headline& headline, const std::string& note,
                     const Box& box, bool is_short);

// The colour of a piece; `plain` where it is nobody's number.
[[nodiscard]] ImU32 hue_colour(const Theme& theme, narration::Hue hue, ImU32 plain);

}  // namespace tilestep::ui
