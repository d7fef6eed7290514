// Files that a description or a kernel's text names: values, and included sources.
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilestep::problem {

// Reads the file of a CSV or NPY input unless its text is there already.
[[nodiscard]] Result<void> read_data_file(InputSpec& input, const std::filesystem::path& folder);
// Reads the files of every buffer and variable: inputs and expected values.
[[nodiscard]] Result<void> read_data_files(LaunchSpec& spec, const std::filesystem::path& folder);

// Reads the sources that a kernel's text includes, from its folder and from given folders.

// The search order of `#include`: the folder of the text with the directive (for "…"), the kernel's
// folder (for "…"), the given folders.
struct IncludeFolders {
  std::filesystem::path kernel;
  std::vector<std::filesystem::path> given;  // --include, and `include` of the description
};

// Included texts by the names in the directives, recursively. Fails with a sentence for an absolute
// path or a file outside these folders, which are never read. Names that no folder has, and headers
// of hosts and the toolkit, are left to the compiler, whose message has the line.
[[nodiscard]] Result<std::map<std::string, std::string>> read_included(
    const std::string& source, const std::string& source_name, const IncludeFolders& folders);

}  // namespace tilestep::problem
