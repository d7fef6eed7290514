#include "problem/describe/data_files.h"

#include "problem/file.h"

#include <utility>

namespace tilestep::problem {

Result<void> read_data_file(InputSpec& input, const std::filesystem::path& folder) {
  const bool is_file = input.pattern == Pattern::Csv || input.pattern == Pattern::Npy;
  if (!is_file || !input.csv.empty()) {
    return {};
  }
  Result<std::string> text = read_file(folder / input.csv_name);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  input.csv = std::move(*text);
  return {};
}

Result<void> read_data_files(LaunchSpec& spec, const std::filesystem::path& folder) {
  for (std::vector<BufferSpec>* const some : {&spec.buffers, &spec.variables}) {
    for (BufferSpec& buffer : *some) {
      for (InputSpec* const input : {buffer.input ? &*buffer.input : nullptr,
                                     buffer.expected ? &buffer.expected->values : nullptr}) {
        const Result<void> read =
            input == nullptr ? Result<void>() : read_data_file(*input, folder);
        if (!read) {
          return read;
        }
      }
    }
  }
  return {};
}

}  // namespace tilestep::problem
