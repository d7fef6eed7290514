// Texts in the current language (language.h). The English text is the key, so the code reads as if
// there were one language:
//
//   tr("Save the scene as")
//   tr("{} stores {} at line {}.", thread, element, line)
//   tr_n("{} block", "{} blocks", count)
//
// One text is one whole sentence: a translation orders the placeholders as its language does, "{2}
// … {0}". A part that is inserted into another text is a name, a number or a complete clause.
// scripts/words.py finds these calls, and the tables of Messages, for assets/words/*.po; it finds
// `plural(count, "block")` (text.h) as "{} block" and "{} blocks".
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tilestep {

namespace tr_detail {

[[nodiscard]] inline std::string_view view(fmt::string_view text) {
  return {text.data(), text.size()};
}

// The translation of a text, and the form of a text for `count` things.
[[nodiscard]] std::string_view translated(std::string_view english);
[[nodiscard]] std::string_view translated(std::string_view one, std::string_view many,
                                          std::uint64_t count);

// Finishes a text with filled placeholders as its language writes it (text.h).
[[nodiscard]] std::string finished(std::string text);

}  // namespace tr_detail

// The pointer is valid forever.
[[nodiscard]] const char* tr(const char* english);

template <class First, class... More>
[[nodiscard]] std::string tr(fmt::format_string<First, More...> english, First&& first,
                             More&&... more) {
  return tr_detail::finished(fmt::vformat(tr_detail::translated(tr_detail::view(english)),
                                          fmt::make_format_args(first, more...)));
}

// The count is the first placeholder; more may follow.
template <class Integer, class... More>
[[nodiscard]] std::string tr_n(fmt::format_string<Integer&, More...> one,
                               fmt::format_string<Integer&, More...> many, Integer count,
                               More&&... more) {
  return tr_detail::finished(
      fmt::vformat(tr_detail::translated(tr_detail::view(one), tr_detail::view(many),
                                         static_cast<std::uint64_t>(count)),
                   fmt::make_format_args(count, more...)));
}

}  // namespace tilestep
