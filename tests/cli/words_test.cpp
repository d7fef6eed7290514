// Every table of words; words.h itself refuses to compile a table with a mistake.
#include "analysis/words.h"

#include "cli/words.h"
#include "clock/estimate.h"
#include "clock/sm.h"
#include "course/handout.h"
#include "course/lab.h"
#include "folders.h"
#include "insight/check/finding.h"
#include "insight/occupancy/occupancy.h"
#include "lesson/lesson.h"
#include "problem/describe/words.h"
#include "record/words.h"
#include "simt/machine/schedule.h"
#include "state/words.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

namespace tilestep {
namespace {

using Enums =
    std::tuple<state::Answering, analysis::Cause, analysis::LaunchQuantity, analysis::Resource,
               analysis::Role, cli::CheckedBuilds, cli::CheckedBlocks, cli::CountersBy,
               clock::Extent, clock::MemoryLevel, clock::WarpState, compile::Build,
               course::LabOutcome, course::LabProgress::Stage, insight::FindingKind, insight::Limit,
               lesson::Place::Kind, lesson::QuestionKind, lesson::BeatKind, problem::BufferRole,
               problem::ElementType, problem::Pattern, problem::Refuser, record::Alignment,
               record::EventKind, simt::AccessKind, simt::ScheduleKind, state::ExportOf,
               state::ExportFormat, course::Paper, state::Typeface, state::RooflinePart,
               state::Unit, state::InspectorPage, state::SourcePage, state::SpeedUnit,
               state::NumberForm, state::Asked, state::Tab, state::Theme, state::TimingPage>;

template <class Enum>
void expect_sound_table() {
  std::set<std::string> files;
  std::set<std::string> labels;
  for (const Word<Enum>& word : words_of<Enum>()) {
    SCOPED_TRACE(word.file);
    EXPECT_TRUE(files.emplace(word.file).second) << "two values are written alike";
    EXPECT_TRUE(labels.emplace(word.label).second) << "two values look alike";
    EXPECT_NE(std::string(word.label), "");
    EXPECT_EQ(value_of<Enum>(word.file), word.value);
    EXPECT_EQ(word_of(word.value).file, word.file);
    EXPECT_NE(word.tooltip.english, nullptr);
  }
  EXPECT_EQ(file_words<Enum>().size(), files.size());
  EXPECT_EQ(value_of<Enum>("no such word"), std::nullopt);
}

TEST(Words, EveryValueHasItsOwnWordsAndComesBackFromAFile) {
  std::apply([](auto... values) { (expect_sound_table<decltype(values)>(), ...); }, Enums{});
}

TEST(Words, EveryTableIsWalked) {
  std::size_t tables = 0;
  const std::string start = "inline constexpr auto kWords<";
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_folder() / "app")) {
    if (entry.is_regular_file()) {
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      const std::string all = text.str();
      for (auto at = all.find(start); at != std::string::npos; at = all.find(start, at + 1)) {
        ++tables;
      }
    }
  }
  EXPECT_EQ(tables, std::tuple_size_v<Enums>) << "list the enum of a new table in this test";
}

enum class Fruit { Apple, Pear, Plum };

TEST(Words, AlternativesReadAsASentence) {
  EXPECT_EQ(alternatives({}), "");
  EXPECT_EQ(alternatives({"a"}), "a");
  EXPECT_EQ(alternatives({"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(alternatives(file_words<state::Theme>()), "dark or light");
  EXPECT_EQ(alternatives(file_words<state::TimingPage>(state::is_plot)),
            "block_size, size, ladder or roofline");
}

TEST(Words, ATableThatMissesAValueOrMixesTwoUpIsFound) {
  using words_detail::is_enumerator;
  using words_detail::is_one_to_one;
  EXPECT_TRUE(is_enumerator<Fruit::Plum>());
  EXPECT_FALSE(is_enumerator<static_cast<Fruit>(3)>());
  const Word<Fruit> apple{Fruit::Apple, "apple", "Apple"};
  const Word<Fruit> pear{Fruit::Pear, "pear", "Pear"};
  EXPECT_TRUE(is_one_to_one(std::array{apple, pear}));
  EXPECT_FALSE(is_one_to_one(std::array{pear, apple})) << "the order is the enum's";
  EXPECT_FALSE(is_one_to_one(std::array{apple, Word<Fruit>{Fruit::Pear, "apple", "Pear"}}));
  EXPECT_FALSE(is_one_to_one(std::array{apple, Word<Fruit>{Fruit::Pear, "pear", "Apple"}}));
  EXPECT_FALSE(is_one_to_one(std::array{apple, Word<Fruit>{Fruit::Pear, "", "Pear"}}));
  EXPECT_FALSE(is_one_to_one(std::array{apple, Word<Fruit>{Fruit::Pear, "pear", ""}}));
}

}  // namespace
}  // namespace tilestep
