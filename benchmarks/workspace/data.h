// Recorded launches as input of benchmarks.
#pragma once

#include "folders.h"
#include "problem/describe/catalog.h"
#include "timing/dataset.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>

namespace tilestep {

struct RecordedLaunches {
  problem::Catalog catalog;
  timing::DataSet data;
};
// Empty: the reason is on stderr.
inline std::optional<RecordedLaunches> read_launches(const char* file) {
  auto catalog = problem::load_catalog(test::share_folder() / "kernels");
  auto data = timing::load_dataset(file);
  if (!catalog || !data) {
    fmt::print(stderr, "{}\n", catalog ? data.error().message : catalog.error().message);
    return std::nullopt;
  }
  return RecordedLaunches{std::move(*catalog), std::move(*data)};
}

}  // namespace tilestep
