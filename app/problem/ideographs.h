// Blanks beside ideographs. A translation has one between an ideograph and a name in Latin letters
// ("线程 (1,0) 读取"); where the name turns out to be written in ideographs itself, it goes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilestep {

// U+3000 to U+9FFF and the full-width forms, whose three bytes in UTF-8 begin with these.
[[nodiscard]] constexpr bool is_lead_of_ideograph(char byte) {
  const auto lead = static_cast<unsigned char>(byte);
  return (lead >= 0xe3U && lead <= 0xe9U) || lead == 0xefU;
}

[[nodiscard]] constexpr bool begins_with_ideograph(std::string_view text) {
  return !text.empty() && is_lead_of_ideograph(text.front());
}
[[nodiscard]] constexpr bool ends_with_ideograph(std::string_view text) {
  return text.size() >= 3 && is_lead_of_ideograph(text[text.size() - 3]);
}

// A full-width comma, stop or bracket has its own room behind it.
[[nodiscard]] constexpr bool ends_with_full_mark(std::string_view text) {
  for (const std::string_view mark : {"、", "。", "，", "；", "：", "！", "？", "）", "」", "》"}) {
    if (text.ends_with(mark)) {
      return true;
    }
  }
  return false;
}

// Without the blanks that stand between two ideographs, or behind a full-width mark.
[[nodiscard]] inline std::string joined_ideographs(std::string text) {
  for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at)) {
    const std::string_view all = text;
    const std::string_view before = all.substr(0, at);
    const bool is_between =
        ends_with_ideograph(before) && begins_with_ideograph(all.substr(at + 1));
    if (is_between || ends_with_full_mark(before)) {
      text.erase(at, 1);
    } else {
      ++at;
    }
  }
  return text;
}

}  // namespace tilestep
