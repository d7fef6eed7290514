#include "timing/dataset_part.h"

#include "problem/file.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tilestep::timing {
namespace {

// The data set's text with empty lines where points of other kernels are, so that every other line
// keeps its number.
std::string text_about(const std::vector<std::string>& kernels, std::string_view json) {
  constexpr std::string_view kPoint = "    {\"kernel\":\"";  // as to_json writes it
  std::string kept;
  std::optional<std::size_t> behind_last;  // of the points that are kept
  while (!json.empty()) {
    const std::string_view line = json.substr(0, json.find('\n'));
    json.remove_prefix(std::min(line.size() + 1, json.size()));
    if (!line.starts_with(kPoint)) {
      kept += line;
    } else if (const auto name = line.substr(kPoint.size());
               std::ranges::find(kernels, name.substr(0, name.find('"'))) != kernels.end()) {
      if (behind_last) {
        kept.insert(*behind_last, ",");
      }
      kept += line.substr(0, line.ends_with(',') ? line.size() - 1 : line.size());
      behind_last = kept.size();
    }
    kept += '\n';
  }
  return kept;
}

}  // namespace

Result<DataSet> load_dataset_of(const std::vector<std::string>& kernels,
                                const std::filesystem::path& file) {
  const Result<std::string> text = problem::read_file(file);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  Result<DataSet> data = parse_dataset(text_about(kernels, *text), file.filename().string());
  if (data) {
    data->name = file.stem().string();
  }
  return data;
}

}  // namespace tilestep::timing
