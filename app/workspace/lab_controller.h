// Grades what is written for a lab of the lesson that is open, beside everything else, and says
// what its panel shows.
#pragma once

#include "compile/compiler.h"
#include "course/lab.h"
#include "lesson/lesson.h"
#include "workspace/jobs.h"
#include "workspace/pool.h"
#include "workspace/shown_lesson.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tilestep::workspace {

class LabController {
 public:
  struct Request {
    std::shared_ptr<const lesson::Lesson> lesson;
    std::size_t lab = 0;  // index into lesson->labs
    std::string text;
    CatalogPtr catalog;
    std::filesystem::path dataset;  // that conditions may ask
  };
  // On the owner's thread.
  using Done = std::function<void(const course::LabGrade& grade)>;

  // Both have to outlive this, but for the pool, whose threads have to end before.
  LabController(Pool& pool, compile::Compiler& compiler) : pool_(pool), compiler_(compiler) {}

  // What is being graded is given up.
  void grade(Request request, Done done);
  void cancel();
  // In every update: cuts off what never ends.
  void follow();
  [[nodiscard]] bool is_grading() const { return running_ != nullptr; }
  // The row that is being run, from 0.
  [[nodiscard]] std::size_t row() const { return running_ == nullptr ? 0 : running_->row.load(); }

 private:
  struct Running {
    std::atomic<bool> cancel = false;
    std::atomic<std::size_t> row = 0;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  };

  Pool& pool_;
  compile::Compiler& compiler_;
  std::shared_ptr<Running> running_;
};

// The text that is graded: what is on stage, edited or not. Fails where the file cannot be read.
[[nodiscard]] Result<std::string> text_of_lab(const lesson::Lab& lab,
                                              const std::string& edited_source);
// Its rows as the panel lists them, in the language that is spoken.
[[nodiscard]] std::vector<ShownLabRow> rows_of_lab(const lesson::Lab& lab,
                                                   const problem::Catalog& catalog);
// What the panel says of a grade.
[[nodiscard]] ShownGrade shown_grade(const lesson::Lab& lab, const course::LabGrade& grade);

}  // namespace tilestep::workspace
