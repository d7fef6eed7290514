// Launch descriptions: reading and writing their TOML, guessing the one of a textbook's kernel, and
// reading the files that they name.
#pragma once

#include "problem/describe/catalog.h"
#include "problem/launch/launch.h"
#include "problem/result.h"
#include "problem/source/cuda_text.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilestep::problem {

// TOML → LaunchSpec: the one reader for the catalog and users' own descriptions.
// docs/formats/launch.md, documents the format.

// All kernels and presets of a file: its [[kernel]] and [[preset]] tables, or the single kernel
// whose keys are at the top level. Sources are not read: `source_name` names the files ("" if the
// file does not), and csv_name names the file of a fixed CSV input. Errors name file and line.
[[nodiscard]] Result<Catalog> parse_descriptions(const std::string& toml_text,
                                                 const std::string& name,
                                                 Expressions expressions = Expressions::Checked);

// Writes a launch description as TOML that parse_description can read.

// Comments by place: "entry", "grid", "block", "dynamic_shared_bytes", "buffers", "arguments",
// "buffer NAME", "argument 0" (at the line's end), …
using Notes = std::map<std::string, std::string>;

// Whether the text contains a file's values, or only the file's name.
enum class FileValues { Named, Embedded };

// `head`: comment lines at the beginning. The kernel's text, id and headers are not included.
[[nodiscard]] std::string description_text(const LaunchSpec& spec,
                                           const std::vector<std::string>& head, const Notes& notes,
                                           FileValues values = FileValues::Named);

// Guesses the launch of a .cu without a .toml from the kernel's text.

// Understands the textbooks' signatures: pointers A, B, C (or M, N, P; two const and one non-const;
// with prefixes such as d_), sizes M, N, K (or wA, wB, numARows, …; a single one means square),
// alpha and beta, Matrix structs by value; a block of BLOCK_SIZE×BLOCK_SIZE threads, given by
// template parameter, macro, constant or blockDim. The error gives the reason if it cannot guess.
[[nodiscard]] Result<LaunchSpec> guess_launch(const std::string& source);

// As above, for the kernel of this name; the text may have several.
[[nodiscard]] Result<LaunchSpec> guess_launch(const CudaText& text, const std::string& kernel);

// Files that a description or a kernel's text names: values, and included sources.

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
