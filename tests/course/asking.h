// Expressions evaluated for launches, for tests. A launch is written as in a link of a lesson.
#pragma once

#include "catalog_launch.h"
#include "course/answers.h"
#include "folders.h"
#include "timing/dataset.h"

#include <stdexcept>
#include <string>

namespace tilestep::course {

class Asking {
 public:
  Asking() : answers_({compiler_, test::repository_catalog(), &dataset_, nullptr}) {}

  // "389", or the sentence why it has no value.
  std::string ask(const std::string& launch, const std::string& text) {
    const auto expression = lesson::parse_expression(text);
    if (!expression) {
      return expression.error().message;
    }
    const auto at = position(launch);
    const auto value = answers_.of(*expression, at);
    return value ? shown_text(*value) : value.error().message;
  }

  static lesson::Position position(const std::string& launch) {
    lesson::Position fresh;
    fresh.state.input = problem::input_of(problem::Pattern::DistinctIntegers);
    const auto changes = lesson::changes_of(launch);
    const auto at = changes ? lesson::changed(fresh, *changes, {}) : fail("no link: " + launch);
    if (!at) {
      throw std::runtime_error(at.error().message);
    }
    lesson::Position found = *at;
    if (found.state.kernel.find('.') != std::string::npos) {  // a file
      found.state.kernel = (test::source_folder() / found.state.kernel).string();
    }
    return found;
  }

  Answers& answers() { return answers_; }

 private:
  timing::UnreadDataSet dataset_{test::source_folder() / "assets" / "timings" / "h200.json"};
  compile::Compiler compiler_{compile::CacheOptions{}};
  Answers answers_;
};

}  // namespace tilestep::course
