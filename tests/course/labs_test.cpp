// The labs of the lessons that ship: a model solution passes every row, and each slip fails in its
// own row and in none before.
#include "asking.h"
#include "course/answers.h"
#include "lesson/lesson.h"
#include "problem/file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tilestep::course {
namespace {

// Replaces what has to be there.
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
  // The number of the first row that does not hold, counted from 1; 0: all hold. A row of a text
  // that does not compile has no values and does not hold.
  static int failing_row(const lesson::Lab& lab, const std::string& text) {
    static Asking asking;
    for (std::size_t i = 0; i < lab.rows.size(); ++i) {
      lesson::Position at{lab.rows[i].state, {}};
      at.state.edited_source = text;
      std::vector<lesson::Expression> conditions{
          lesson::parse_expression("wrong() == 0 && findings() == 0").value()};
      for (const lesson::Formula& condition : lab.rows[i].require) {
        conditions.push_back(condition.expression);
      }
      for (const lesson::Expression& condition : conditions) {
        const auto value = asking.answers().of(condition, at);
        if (!value || !value->is_yes()) {
          return static_cast<int>(i) + 1;
        }
      }
    }
    return 0;
  }
};

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

// labs/NAME/solution.cu, and labs/NAME/rowK.cu for row K of the lab whose text is NAME.cu.
void expect_slips(const lesson::Lab& lab, const std::filesystem::path& folder,
                  int (*failing_row)(const lesson::Lab&, const std::string&)) {
  const auto fails_in = [&](const std::string& file) {
    const auto text = problem::read_file(folder / file);
    EXPECT_TRUE(text) << folder / file;
    return text ? failing_row(lab, *text) : -1;
  };
  EXPECT_EQ(fails_in("solution.cu"), 0) << folder;
  for (int row = 1; row <= static_cast<int>(lab.rows.size()); ++row) {
    EXPECT_EQ(fails_in("row" + std::to_string(row) + ".cu"), row) << folder;
  }
}

TEST_F(LabsOf, EveryLesson_HaveASolutionAndASlipForEachRow) {
  const auto slips = test::source_folder() / "tests" / "course" / "labs";
  const auto lessons = test::source_folder() / "assets" / "lessons";
  int labs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(lessons)) {
    if (entry.path().extension() != ".md") {
      continue;
    }
    for (const lesson::Lab& lab : lesson_named(entry.path().filename().string()).labs) {
      const auto folder = slips / std::filesystem::path(lab.kernel).stem();
      if (std::filesystem::exists(folder)) {
        expect_slips(lab, folder, &failing_row);
        ++labs;
      }
      EXPECT_NE(failing_row(lab, text_of_kernel(lab)), 0) << lab.kernel;  // as it is handed out
    }
  }
  EXPECT_GE(labs, 5);
}

}  // namespace
}  // namespace tilestep::course
