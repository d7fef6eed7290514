#include "course/handout.h"
#include "lesson/rich_text.h"
#include "problem/markup.h"

#include <fmt/format.h>

#include <string_view>

namespace tilestep::course {
namespace {

constexpr std::string_view kStyles =
#include "course/page.css.inc"
    ;

// The styles, in which FONTS is the address of the fonts' folder.
std::string styles_with_fonts(const std::string& fonts) {
  constexpr std::string_view kPlace = "FONTS";
  std::string styles(kStyles);
  for (std::size_t at = 0; (at = styles.find(kPlace, at)) != std::string::npos;
       at += fonts.size()) {
    styles.replace(at, kPlace.size(), fonts);
  }
  return styles;
}

}  // namespace

std::string page_of(const std::string& markdown, const Page& page) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n"
      "<style>\n{}</style>\n</head>\n<body class=\"{}\">\n{}</body>\n</html>\n",
      page.language, markup_escaped(page.title), styles_with_fonts(page.fonts), page.kind,
      lesson::html_of(markdown));
}

}  // namespace tilestep::course
