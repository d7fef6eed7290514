// tilestep merge: one timing data set of several.
#include "cli/command.h"
#include "cli/prepare.h"
#include "problem/tr.h"
#include "timing/dataset_points.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace tilestep::cli {

namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string out;
};

int merge_files(const MergeOptions& options, Context& context) {
  const auto catalog = problem::load_catalog(context.paths.kernels);
  if (!catalog) {
    return wrong_use(catalog.error());
  }
  std::vector<timing::DataSet> parts;
  for (const std::string& file : options.files) {
    auto part = timing::load_dataset(file);
    if (!part) {
      return wrong_use(part.error());
    }
    parts.push_back(std::move(*part));
  }
  const auto all = timing::merge(parts, *catalog);
  if (!all) {
    return wrong_use(all.error());
  }
  if (const auto saved = timing::save_dataset(*all, options.out); !saved) {
    return wrong_use(saved.error());
  }
  fmt::print(stderr, "{}", tr("Written: {}, {} points\n", options.out, all->points.size()));
  return 0;
}

}  // namespace

void add_merge(CLI::App& app, Context& context) {
  auto options = std::make_shared<MergeOptions>();
  auto* command = app.add_subcommand("merge", "Merge several timing data sets into one");
  command->add_option("files", options->files, "Data sets with the parts of one sweep")->required();
  command->add_option("--out", options->out, "The file to write")->required();
  command->footer(
      "Example:\n"
      "  tilestep merge part0.json part1.json --out h200.json\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = merge_files(*options, context); });
}

}  // namespace tilestep::cli
