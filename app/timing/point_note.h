// What a data set notes of a point, in the language that is spoken. Files keep it in English.
#pragma once

#include <string>

namespace tilestep::timing {

// "result wrong: C[0][0] is 3, expected 4 (…); one launch takes 1.5 s: 3 samples". A note that no
// version of this program writes stays as it is.
[[nodiscard]] std::string told_note(const std::string& note);

}  // namespace tilestep::timing
