// Answers made before anybody asks: for a package (app/answers.cpp).
#pragma once

#include "workspace/survey.h"

#include <cstddef>
#include <functional>
#include <span>

namespace tilestep::workspace {

// Counts these launches on all cores and keeps what is not kept yet. `done`, called from several
// threads, hears how many were looked at. Returns how many have a reason instead of an answer.
std::size_t make_answers(std::span<const SurveyItem> items, const problem::Catalog& catalog,
                         const CountTools& tools, const std::function<void(std::size_t)>& done);

}  // namespace tilestep::workspace
