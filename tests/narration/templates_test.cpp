// The table of sentences: every row is well formed, filled, and used.
#include "narration/templates.h"

#include "folders.h"
#include "problem/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace tilestep::narration {
namespace {

TEST(Templates, EveryPlaceOfTheShortFormIsOneOfTheLongForm) {
  std::set<std::string_view> ids;
  for (const Row& row : kEnglish) {
    SCOPED_TRACE(row.id);
    EXPECT_TRUE(ids.insert(row.id).second) << "two rows have this id";
    const std::vector<std::string_view> all = places_of(row.long_form);
    for (const std::string_view place : places_of(row.short_form)) {
      // The line of a finding has only its short form.
      if (row.id != "finding") {
        EXPECT_THAT(all, ::testing::Contains(place));
      }
    }
    for (const std::string_view form : {row.long_form, row.short_form}) {
      EXPECT_EQ(std::count(form.begin(), form.end(), '{'),
                std::count(form.begin(), form.end(), '}'));
      EXPECT_EQ(form.find('-'), std::string_view::npos) << "a minus is −, a dash is none";
      EXPECT_EQ(form.find("  "), std::string_view::npos);
    }
  }
}

TEST(Templates, EveryRowIsSaidSomewhere) {
  std::string source;
  for (const char* const folder : {"app/narration", "app/ui"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::source_folder() / folder)) {
      const std::filesystem::path& file = entry.path();
      if (file.extension() == ".cpp") {
        source += problem::read_file(file).value_or("");
      }
    }
  }
  for (const Row& row : kEnglish) {
    EXPECT_NE(source.find("\"" + std::string(row.id) + "\""), std::string::npos) << row.id;
  }
}

TEST(Templates, TheVerbFollowsTheNumber) {
  const auto said = [](const char* threads) {
    return plain_text(say(Kind::Store, "all_done", {{"threads", plain(threads)}}).long_form);
  };
  EXPECT_EQ(said("1 thread"), "1 thread is done.");
  EXPECT_EQ(said("16 threads"), "16 threads are done.");
  EXPECT_EQ(said("11 threads"), "11 threads are done.");
}

TEST(Templates, PlacesKeepTheirHueAndWordsHaveNone) {
  const Sentence s = say(Kind::Store, "store_sums",
                         {{"threads", plain("16 threads")},
                          {"thread", plain("Thread (2,1)")},
                          {"target", strong("C[1][6]", Hue::Sum)},
                          {"value", strong("65", Hue::Sum)}});
  EXPECT_EQ(plain_text(s.long_form), "16 threads store their sums. Thread (2,1): C[1][6] = 65.");
  EXPECT_EQ(plain_text(s.short_form), "Thread (2,1): C[1][6] = 65.");
  ASSERT_EQ(s.long_form.size(), 5U);
  EXPECT_EQ(s.long_form[1], (Piece{"C[1][6]", Hue::Sum, true}));
  EXPECT_EQ(s.long_form[2], (Piece{" = ", Hue::None, false}));
}

TEST(Templates, NumbersHaveTheirNounsForm) {
  EXPECT_EQ(counted(1, Noun::Thread), "1 thread");
  EXPECT_EQ(counted(2, Noun::Copy), "2 copies");
  EXPECT_EQ(counted(0, Noun::Zero), "0 zeros");
  EXPECT_EQ(counted(8, Noun::PassNoun), "8 passes");
  EXPECT_EQ(counted(1, Noun::Update), "1 update");
}

TEST(Templates, ListsEndWithAnd) {
  EXPECT_EQ(plain_text(listed({plain("A")})), "A");
  EXPECT_EQ(plain_text(listed({plain("A"), plain("B")})), "A and B");
  EXPECT_EQ(plain_text(listed({plain("A"), plain("B"), plain("C")})), "A, B and C");
  EXPECT_TRUE(listed({}).empty());
}

}  // namespace
}  // namespace tilestep::narration
