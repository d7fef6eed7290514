// The labs of the shipped lessons: a model solution passes every row, and each slip fails in its
// own row and in none before.
#include "asking.h"
#include "course/lab.h"
#include "lesson/lesson.h"
#include "problem/file.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <map>
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

  inline static LabGrade grade_;  // the latest one
};

// tests/course/labs/STEM: solution.cu and similar files pass, row3.cu fails at row 3 and at none
// before.
TEST_F(LabsOf, EveryStoredSolutionPassesAndEverySlipFailsInItsRow) {
  const std::map<std::string, lesson::Lab> all = labs();
  const fs::path stored = test::source_folder() / "tests" / "course" / "labs";
  for (const auto& folder : fs::directory_iterator(stored)) {
    const std::string stem = folder.path().filename().string();
    const auto lab = all.find(stem);
    ASSERT_NE(lab, all.end()) << stem;
    std::size_t solutions = 0;
    std::size_t slips = 0;
    for (const auto& file : fs::directory_iterator(folder.path())) {
      const std::string name = file.path().stem().string();
      const bool is_slip = name.starts_with("row");
      ++(is_slip ? slips : solutions);
      const int row = failing_row(lab->second, problem::read_file(file.path()).value());
      EXPECT_EQ(row, is_slip ? std::stoi(name.substr(3)) : 0)
          << stem << "/" << name << ": " << why();
    }
    EXPECT_GE(solutions, 1U) << stem;
    EXPECT_EQ(slips, lab->second.rows.size()) << stem;
  }
}

TEST_F(LabsOf, NoLabIsDoneAsItIsHandedOut) {
  for (const auto& [stem, lab] : labs()) {
    EXPECT_NE(failing_row(lab, text_of_kernel(lab)), 0) << stem;
  }
}

TEST_F(LabsOf, Lesson3_HaveARowForEachMistake) {
  const lesson::Lesson lesson = lesson_named("03-two-barriers.md");
  const lesson::Lab& lab = lesson.labs.at(0);
  const std::string given = text_of_kernel(lab);
  const std::string with_index =
      changed_text(given, "i * B.width * B.width", "i * SubMatrixSize * B.width");
  const auto with_barrier = [](const std::string& text) {
    return changed_text(text, "* Bs[e][col];\n    }\n",
                        "* Bs[e][col];\n    }\n    __syncthreads();\n");
  };
  EXPECT_EQ(failing_row(lab, given), 1);
  EXPECT_EQ(failing_row(lab, with_index), 1);
  EXPECT_EQ(failing_row(lab, with_barrier(given)), 2);
  EXPECT_EQ(failing_row(lab, with_barrier(with_index)), 0);
  EXPECT_EQ(failing_row(lab, changed_text(with_barrier(with_index), "a_col < A.width ?", "true ?")),
            3);
}

TEST_F(LabsOf, Lesson8_HaveARowForEachSizeOfPadding) {
  const lesson::Lesson lesson = lesson_named("08-banks.md");
  const lesson::Lab& lab = lesson.labs.at(0);
  const auto padded = [&](const std::string& by) {
    return failing_row(lab, changed_text(text_of_kernel(lab), "PAD = 0;", "PAD = " + by + ";"));
  };
  EXPECT_EQ(padded("0"), 2);
  EXPECT_EQ(padded("1"), 3);
  EXPECT_EQ(padded("BLOCK_SIZE == 32 ? 1 : 2"), 4);
  EXPECT_EQ(padded("32 / BLOCK_SIZE"), 0);
  EXPECT_EQ(padded("BLOCK_SIZE == 32 ? 5 : 32 / BLOCK_SIZE"), 5);
}

}  // namespace
}  // namespace tilestep::course
