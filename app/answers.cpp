// tilestep_answers SHARE OUT: computes the shipped answers to every question that the data sets in
// SHARE/timings can raise, with the code that computes them at run time.
//
// OUT may exist already: valid answers stay and invalid ones are removed, so only what has changed
// is computed.
#include "analysis/gpu_model.h"
#include "workspace/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace tilestep {
namespace {

namespace fs = std::filesystem;

Result<std::vector<workspace::SurveyItem>> questions(const problem::Catalog& catalog,
                                                     const fs::path& timings) {
  std::vector<workspace::SurveyItem> all;
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(timings)) {
    files.push_back(file.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const auto data = timing::load_dataset(file);
    if (!data) {
      return tl::unexpected(data.error());
    }
    const int architecture = analysis::gpu_model(data->provenance).architecture;
    const auto items = workspace::all_measured({&catalog, &*data, nullptr, architecture});
    all.insert(all.end(), items.begin(), items.end());
  }
  return all;
}

// Removes what this run neither found nor made; the entries of this run are the most recently used.
void remove_older(const fs::path& out, fs::file_time_type start) {
  std::vector<fs::path> old;
  for (const auto& file : fs::directory_iterator(out)) {
    if (file.last_write_time() < start) {
      old.push_back(file.path());
    }
  }
  for (const fs::path& file : old) {
    fs::remove(file);
  }
}

int make(const fs::path& share, const fs::path& out) {
  const auto catalog = problem::load_catalog(share / "kernels");
  const auto items =
      catalog ? questions(*catalog, share / "timings")
              : Result<std::vector<workspace::SurveyItem>>(tl::unexpected(catalog.error()));
  if (!items) {
    fmt::print(stderr, "{}\n", items.error().message);
    return 2;
  }
  fs::create_directories(out);
  // The file system's clock may lag by some milliseconds.
  const auto start = fs::file_time_type::clock::now() - std::chrono::seconds(1);
  compile::Compiler compiler({{}, {share / "ptx-cache"}});
  workspace::KeptAnswers kept({out, {}, std::numeric_limits<std::uint64_t>::max()});
  const std::atomic<bool> cancel{false};
  const std::size_t step = std::max<std::size_t>(1, items->size() / 20);
  const std::size_t without =
      workspace::make_answers(*items, *catalog, {compiler, cancel, &kept}, [&](std::size_t done) {
        if (done % step == 0) {
          fmt::print("{} of {}\n", done, items->size());
          std::fflush(stdout);
        }
      });
  remove_older(out, start);
  fmt::print("{} answers, {} launches that have none\n", items->size() - without, without);
  return 0;
}

}  // namespace
}  // namespace tilestep

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: tilestep_answers SHARE OUT\n");
    return 2;
  }
  return tilestep::make(argv[1], argv[2]);
}
