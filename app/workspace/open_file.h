// A file that is opened from the window, by what it is.
//
//   .cu    a kernel                        .csv   a matrix, which becomes the input
//   .toml  its description, or a scene     .json  a data set of timings
//   .md    a lesson
#pragma once

#include "lesson/lesson.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "timing/dataset.h"
#include "workspace/workspace.h"

#include <optional>
#include <string>

namespace tilestep::workspace {

struct OpenedFile {
  std::optional<problem::LaunchSpec> kernel;  // joins the catalog
  std::string select;                         // a kernel by its id or path; empty: none
  std::optional<state::AppState> scene;       // is shown
  std::optional<lesson::Lesson> lesson;       // is opened
  std::optional<timing::DataSet> dataset;     // is plotted
  std::optional<problem::InputSpec> input;
  std::string notice;  // a sentence
};

// Reads it, and what it names beside it. `infer` may be empty. Fails with a sentence for what is
// none of these files, or a broken one.
[[nodiscard]] Result<OpenedFile> open_file(const std::string& path, const problem::InputSpec& input,
                                           const Infer& infer);

}  // namespace tilestep::workspace
