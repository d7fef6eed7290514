// In a lecture the keys of choices count the hall's hands.
#pragma once

#include "ui/panel.h"

#include <cstddef>
#include <string>

namespace tilestep::ui {

[[nodiscard]] bool is_voted(const Context& context);
[[nodiscard]] int hands_for(const Context& context, std::size_t choice);
[[nodiscard]] int all_hands(const Context& context);
// "yes 12, no 8".
[[nodiscard]] std::string counted_hands(const Context& context);
// Of an answer as it is given: "yes", "2".
[[nodiscard]] std::size_t choice_of(const std::string& answer);
// What a key or a click answers is given, or in a lecture one more hand for it. Empty: nothing.
[[nodiscard]] Commands answered(const Context& context, const std::string& answer);
[[nodiscard]] Commands take_back_vote(const Context& context);

}  // namespace tilestep::ui
