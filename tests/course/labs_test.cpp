// The labs of the shipped lessons: right submissions pass every row, and each wrong one fails in
// its own row, for its own reason.
#include "asking.h"
#include "course/lab.h"
#include "lesson/lesson.h"
#include "lesson/variant.h"
#include "problem/file.h"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::course {
namespace {

namespace fs = std::filesystem;

// Replaces text that must exist.
std::string changed_text(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class LabsOf : public testing::Test {
 protected:
  static lesson::Lesson lesson_named(const std::string& file) {
    auto read = lesson::load_lesson(test::source_folder() / "assets" / "lessons" / file);
    if (!read) {
      throw std::runtime_error(read.error().message);
    }
    return std::move(*read);
  }
  static std::string text_of_kernel(const lesson::Lab& lab) {
    return problem::read_file(lab.kernel).value();
  }
  // The number of the first row that fails, counted from 1; 0: none.
  static int failing_row(const lesson::Lab& lab, const std::string& text) {
    static Asking asking;
    grade_ = grade_lab(lab, text, asking.answers());
    return grade_.passed() ? 0 : static_cast<int>(grade_.rows_passed) + 1;
  }
  static std::string why() { return grade_.passed() ? "" : grade_.causes.front().sentence; }

 public:
  // The labs of all lessons by the stem of their kernel.
  static std::map<std::string, lesson::Lab> labs() {
    std::map<std::string, lesson::Lab> all;
    for (const auto& entry : fs::directory_iterator(test::source_folder() / "assets" / "lessons")) {
      if (entry.path().extension() == ".md") {
        for (lesson::Lab& lab : lesson_named(entry.path().filename().string()).labs) {
          all.emplace(fs::path(lab.kernel).stem().string(), std::move(lab));
        }
      }
    }
    return all;
  }

 protected:
  inline static LabGrade grade_;  // the latest one
};

// tests/course/labs/STEM: solution.cu and similar files pass, row3.cu fails at row 3 and at none
// before; cases.toml has more of both as changes of solution.cu:
//   [[right]] name, change = [["from", "to"], …]
//   [[wrong]] the same, and its row, its outcome (docs/formats/lab.md) and a part of the sentence
class LabSubmissions : public LabsOf, public testing::WithParamInterface<std::string> {
 protected:
  LabSubmissions()
      : folder_(folder_of_labs() / GetParam()),
        solution_(problem::read_file(folder_ / "solution.cu").value()) {}

  static fs::path folder_of_labs() { return test::source_folder() / "tests" / "course" / "labs"; }
  static const lesson::Lab& lab() {
    static const std::map<std::string, lesson::Lab> all = labs();
    return all.at(GetParam());
  }
  [[nodiscard]] std::string text_of(const toml::table& one) const {
    std::string text = solution_;
    for (const toml::node& change : *one["change"].as_array()) {
      const toml::array& texts = *change.as_array();
      text = changed_text(std::move(text), texts.at(0).value_or(std::string()),
                          texts.at(1).value_or(std::string()));
    }
    return text;
  }
  // A seed whose variant has, in place of row `i`, the one at this line of the lesson.
  static std::string seed_with(std::size_t i, int line) {
    for (int seed = 0; seed < 1000; ++seed) {
      if (lesson::variant_of(lab(), std::to_string(seed)).rows[i].line == line) {
        return std::to_string(seed);
      }
    }
    ADD_FAILURE() << "no seed has line " << line;
    return "";
  }
  // Calls `grade` with each table of an array of cases.toml.
  template <class Grade>
  void for_each_case(const char* kind, Grade&& grade) const {
    const toml::table cases = toml::parse_file((folder_ / "cases.toml").string());
    for (const toml::node& one : *cases[kind].as_array()) {
      grade(*one.as_table(), one.as_table()->get("name")->value_or(std::string()));
    }
  }

  fs::path folder_;
  std::string solution_;
};

TEST_P(LabSubmissions, OfTenWrongOnesNonePasses_EachHasItsRowAndReason) {
  std::set<int> rows;
  std::size_t wrong = 0;
  for (const auto& file : fs::directory_iterator(folder_)) {
    const std::string name = file.path().stem().string();
    if (name.starts_with("row")) {
      const int row = std::stoi(name.substr(3));
      EXPECT_EQ(failing_row(lab(), problem::read_file(file.path()).value()), row)
          << name << ": " << why();
      rows.insert(row);
      ++wrong;
    }
  }
  for_each_case("wrong", [&](const toml::table& one, const std::string& name) {
    const int row = one["row"].value_or(0);
    EXPECT_EQ(failing_row(lab(), text_of(one)), row) << name << ": " << why();
    EXPECT_EQ(word_of(grade_.outcome()).file, one["outcome"].value_or(std::string())) << name;
    EXPECT_NE(why().find(one["says"].value_or(std::string("?"))), std::string::npos)
        << name << ": " << why();
    rows.insert(row);
    ++wrong;
  });
  EXPECT_GE(wrong, 10U);
  EXPECT_EQ(rows.size(), lab().rows.size()) << "each row has one that fails there";
}

TEST_P(LabSubmissions, OfFiveUnusualRightOnesAllPass) {
  std::size_t right = 0;
  for (const auto& file : fs::directory_iterator(folder_)) {
    const std::string name = file.path().stem().string();
    if (name.starts_with("solution")) {
      EXPECT_EQ(failing_row(lab(), problem::read_file(file.path()).value()), 0)
          << name << ": " << why();
      ++right;
    }
  }
  for_each_case("right", [&](const toml::table& one, const std::string& name) {
    EXPECT_EQ(failing_row(lab(), text_of(one)), 0) << name << ": " << why();
    ++right;
  });
  EXPECT_GE(right, 6U) << "the usual solution and five more";
}

// What a variant has in place of a row can be passed, and the starter code of a variant cannot.
TEST_P(LabSubmissions, OfVariantsAreGradedByTheirRows) {
  for (std::size_t i = 0; i < lab().rows.size(); ++i) {
    const lesson::LabRow& row = lab().rows[i];
    // Only the changes that choose together with the row: a table in another order.
    lesson::Lab with_row = lab();
    std::erase_if(with_row.changes, [&](const lesson::LabChange& change) {
      return row.together.empty() || change.together != row.together;
    });
    for (const lesson::LabRow& other : row.others) {
      const std::string seed = seed_with(i, other.line);
      lesson::Lab alone = lesson::variant_of(lab(), seed);
      alone.rows = {alone.rows[i]};
      EXPECT_TRUE(failing_row(alone, solution_) == 0 ||
                  failing_row(alone, lesson::starter_code(with_row, solution_, seed)) == 0)
          << "line " << other.line << ": " << why();
    }
  }
  const std::string given = text_of_kernel(lab());
  std::set<std::string> texts;
  for (const char* const seed : {"alice", "bob", "carol", "dan", "王伟"}) {
    const std::string text = lesson::starter_code(lab(), given, seed);
    EXPECT_EQ(lesson::seed_in(text), seed);
    texts.insert(text.substr(text.find('\n')));
    if (texts.size() <= 2) {
      EXPECT_NE(failing_row(lesson::variant_of(lab(), seed), text), 0) << seed;
    }
  }
  EXPECT_GE(texts.size(), 2U);
  EXPECT_EQ(lesson::starter_code(lab(), given, ""), given);
  for (const lesson::LabChange& change : lab().changes) {
    for (const std::string& text : change.alternatives.front()) {
      EXPECT_NE(given.find(text), std::string::npos) << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryLab, LabSubmissions, testing::ValuesIn([] {
                           std::vector<std::string> stems;
                           for (const auto& [stem, lab] : LabsOf::labs()) {
                             stems.push_back(stem);
                           }
                           return stems;
                         }()),
                         [](const auto& one) { return one.param; });

TEST_F(LabsOf, NoLabIsDoneAsItIsHandedOut) {
  for (const auto& [stem, lab] : labs()) {
    EXPECT_NE(failing_row(lab, text_of_kernel(lab)), 0) << stem;
  }
}

}  // namespace
}  // namespace tilestep::course
