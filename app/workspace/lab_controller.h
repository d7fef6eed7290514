// Grades the text for a lab of the open lesson in the background, and makes the content of its
// panel.
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
    std::filesystem::path dataset;  // for conditions
  };
  // Called on the owner's thread.
  using Done = std::function<void(const course::LabGrade& grade)>;

  // Both must outlive this object; the pool's threads must end before it.
  LabController(Pool& pool, compile::Compiler& compiler) : pool_(pool), compiler_(compiler) {}

  // Cancels a running grading. The text's first line may name a variant of the lab, whose rows are
  // then those of the grade (lesson/variant.h).
  void grade(Request request, Done done);
  void cancel();
  // Call in every update: ends a grading that takes too long.
  void follow();
  [[nodiscard]] bool is_grading() const { return running_ != nullptr; }
  // The running row, from 0.
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

// The graded text: the one on stage, edited or not. Fails if the file cannot be read.
[[nodiscard]] Result<std::string> text_of_lab(const lesson::Lab& lab,
                                              const std::string& edited_source);
// The edit that makes the lab's file its starter code in the current language; empty: the file is.
[[nodiscard]] std::string starter_edit(const lesson::Lab& lab);
// Its rows in the panel, in the current language.
[[nodiscard]] std::vector<ShownLabRow> rows_of_lab(const lesson::Lab& lab,
                                                   const problem::Catalog& catalog);
// A grade as the panel shows it.
[[nodiscard]] ShownGrade shown_grade(const lesson::Lab& lab, const course::LabGrade& grade);

}  // namespace tilestep::workspace
