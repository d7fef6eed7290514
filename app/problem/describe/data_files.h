// Files that a description or a kernel's text names: values, and included texts.
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilestep::problem {

// Reads the file that a CSV or NPY input names, if its text is not there yet.
[[nodiscard]] Result<void> read_data_file(InputSpec& input, const std::filesystem::path& folder);
// Of every buffer and variable: inputs and expected values.
[[nodiscard]] Result<void> read_data_files(LaunchSpec& spec, const std::filesystem::path& folder);

// The texts that a kernel's text includes, read from its folder and from given ones.

// Where `#include` looks, in this order: the folder of the text with the directive (for "…"), the
// kernel's folder (for "…"), the given folders.
struct IncludeFolders {
  std::filesystem::path kernel;
  std::vector<std::filesystem::path> given;  // --include, and `include` of the description
};

// By the names in the directives, with what those texts include. Nothing outside these folders is
// read: an absolute path, or a file elsewhere, is refused with a sentence. A name that no folder
// has is left to the compiler, whose message has the line, and so are headers of hosts and the
// toolkit.
[[nodiscard]] Result<std::map<std::string, std::string>> read_included(
    const std::string& source, const std::string& source_name, const IncludeFolders& folders);

}  // namespace tilestep::problem
