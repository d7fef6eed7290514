// tilestep convert: timings from CSV into a data set, and back.
#include "cli/command.h"
#include "cli/prepare.h"
#include "problem/file.h"
#include "problem/tr.h"
#include "timing/dataset.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace tilestep::cli {
namespace {

struct ConvertOptions {
  std::string from;
  std::string to;
  timing::Provenance provenance;
};

bool is_csv(const std::string& file) {
  return std::filesystem::path(file).extension() == ".csv";
}

Result<timing::DataSet> read(const ConvertOptions& options) {
  if (!is_csv(options.from)) {
    return timing::load_dataset(options.from);
  }
  return problem::read_file(options.from).and_then([&](const std::string& text) {
    return timing::parse_csv(text, options.provenance, options.from);
  });
}

int convert(const ConvertOptions& options) {
  if (is_csv(options.from) && options.provenance.gpu.empty()) {
    return wrong_use({tr("A CSV does not name its GPU. Add --gpu NAME.")});
  }
  const auto data = read(options);
  if (!data) {
    return wrong_use(data.error());
  }
  const Result<void> saved = is_csv(options.to)
                                 ? problem::write_file(options.to, timing::to_csv(*data))
                                 : timing::save_dataset(*data, options.to);
  if (!saved) {
    return wrong_use(saved.error());
  }
  fmt::print(stderr, "{}", tr("Written: {}, {} points\n", options.to, data->points.size()));
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, Context& context) {
  auto options = std::make_shared<ConvertOptions>();
  auto* command = app.add_subcommand("convert", "Convert timings from CSV to a data set, or back");
  command->add_option("from", options->from, "Input: a .csv or .json file")->required();
  command->add_option("to", options->to, "Output: a .json or .csv file")->required();
  command->add_option("--gpu", options->provenance.gpu, "GPU of a CSV's timings");
  command->add_option("--driver", options->provenance.driver, "Its driver version");
  command->add_option("--cuda", options->provenance.cuda, "Compiler of its kernels");
  command->add_option("--cublas", options->provenance.cublas, "Its cuBLAS version");
  command->add_option("--date", options->provenance.date, "Date, for example 2026-11-22T10:00:00Z");
  command->add_option("--method", options->provenance.method, "How it was measured, in a sentence");
  command->footer(
      "A CSV has the columns kernel, M, N, K (or size), block_size and ms, one sample per row.\n"
      "Example:\n"
      "  tilestep convert mine.csv mine.json --gpu \"NVIDIA L4\"\n"
      "Exit status: 0 success; 2 wrong use or input.");
  command->callback([options, &context] { context.status = convert(*options); });
}

}  // namespace tilestep::cli
