// Every text of the program in every language, with sample values.
#include "folders.h"
#include "problem/file.h"
#include "problem/language.h"

#include <fmt/args.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::problem {
namespace {

using testing::HasSubstr;
using testing::Not;

// "{0:.2f}" → 0 and ".2f".
struct Place {
  std::string name;
  std::string format;
};
Place place_in(const std::string& braces) {
  const std::string inner = braces.substr(1, braces.size() - 2);
  const std::size_t colon = inner.find(':');
  return {inner.substr(0, colon), colon == std::string::npos ? "" : inner.substr(colon + 1)};
}

bool is_number(const std::string& name) {
  return name.find_first_not_of("0123456789") == std::string::npos;
}

// A value for the placeholder's format: text if it has no type.
void add_sample(const Place& place, fmt::dynamic_format_arg_store<fmt::format_context>& samples) {
  const char type = place.format.empty() ? 's' : place.format.back();
  if (!is_number(place.name)) {
    samples.push_back(fmt::arg(place.name.c_str(), "sample"));
  } else if (type == 'x') {
    samples.push_back(255U);
  } else if (type == 'e' || type == 'f' || type == 'g') {
    samples.push_back(1.5);
  } else {
    samples.push_back(std::string("sample"));
  }
}

// "{1}" alone is the second of two values.
std::size_t number_of(const std::string& braces) {
  const Place place = place_in(braces);
  return is_number(place.name) ? static_cast<std::size_t>(std::stoul(place.name)) : 0;
}

std::string with_samples(std::string_view text, const std::vector<std::string>& places) {
  fmt::dynamic_format_arg_store<fmt::format_context> samples;
  std::size_t next = 0;
  for (const std::string& braces : places) {
    for (; next < number_of(braces); ++next) {
      samples.push_back("not shown");
    }
    add_sample(place_in(braces), samples);
    next += is_number(place_in(braces).name) ? 1U : 0U;
  }
  return fmt::vformat(text, samples);
}

// The narration's own templates, which {fmt} does not handle.
bool has_verbs(std::string_view text) {
  return text.find('|') != std::string_view::npos;
}

class Messages : public testing::TestWithParam<std::filesystem::path> {};

// places() sorts as text: "{10}" before "{2}" would give the wrong values.
std::vector<std::string> by_number(std::vector<std::string> places) {
  std::ranges::stable_sort(places, {}, number_of);
  return places;
}

TEST_P(Messages, FormatWithSampleValues_InBothLanguages) {
  const auto text = read_file(GetParam());
  ASSERT_TRUE(text);
  const auto translation = Translation::parse(*text, GetParam().string());
  ASSERT_TRUE(translation) << translation.error().message;
  EXPECT_TRUE(translation->refused().empty()) << fmt::format("{}", translation->refused().front());
  EXPECT_FALSE(translation->name().empty()) << "the header's X-Language-Name";
  std::size_t formatted = 0;
  for (const auto& [english, forms] : translation->all()) {
    for (const std::string& form : forms) {
      const std::vector<std::string> places = by_number(placeholders(form));
      SCOPED_TRACE(english + " → " + form);
      const std::string said = with_samples(form, places);
      if (!has_verbs(english)) {
        EXPECT_NO_THROW((void)with_samples(english, places));
      }
      EXPECT_THAT(said, Not(HasSubstr("{}")));
      EXPECT_FALSE(said.empty());
      ++formatted;
    }
  }
  EXPECT_GT(formatted, 1000U);
}

std::vector<std::filesystem::path> po_files() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_folder() / "assets" / "words")) {
    all.push_back(entry.path());
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Messages, testing::ValuesIn(po_files()),
                         [](const auto& instance) { return instance.param.stem().string(); });

}  // namespace
}  // namespace tilestep::problem
