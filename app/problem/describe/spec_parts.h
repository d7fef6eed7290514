// Rules for the parts of a description, shared by TOML files and the command line. The sentences
// name no place; the reader prepends it.
#pragma once

#include "problem/describe/toml_reader.h"
#include "problem/launch/launch.h"
#include "problem/result.h"
#include "problem/values/inputs.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::problem {

// The name of a buffer → a buffer argument; "1.5f" or "2 * M" → a scalar.
[[nodiscard]] Result<ArgumentSpec> argument_from_text(const std::string& text,
                                                      const std::vector<BufferSpec>& buffers);

// A buffer's name must not be a name of expressions, nor that of an earlier buffer.
[[nodiscard]] std::optional<Error> buffer_name_mistake(const std::string& name,
                                                       const std::vector<BufferSpec>& before);

// `key`: "grid" or "block".
[[nodiscard]] Error sizes_are_missing(std::string_view key);
[[nodiscard]] Error wrong_number_of_sizes(std::string_view key);

// The error for a name that is_architecture() rejects.
[[nodiscard]] Error architecture_mistake(const std::string& name);
// Whether `name` is a valid ClosedForm::quantity.
[[nodiscard]] bool is_quantity(const std::string& name, const LaunchSpec& spec);

// Whether BLOCK_SIZE affects the code or the shape of the launch.
[[nodiscard]] bool mentions_block_size(const LaunchSpec& spec);

// The sizes that the description, its buffers and its arguments use; the others have no effect.
struct UsedSizes {
  bool M = false;
  bool N = false;
  bool K = false;
};
[[nodiscard]] UsedSizes used_sizes(const LaunchSpec& spec);

// Whether the description, its buffers or its arguments use M, N or K.
[[nodiscard]] bool mentions_problem(const LaunchSpec& spec);

// Inputs as descriptions and lessons write them.

// "identity", or { pattern = "random", seed = 7 }. Does not read a CSV file: csv_name is its name.
[[nodiscard]] InputSpec read_input(TomlReader& reader, const toml::node& node);
// As read_input, for one buffer of a description: also allows { file = "a.npy" }, whose pattern
// follows from the file's name.
[[nodiscard]] InputSpec read_buffer_input(TomlReader& reader, const toml::node& node);

// An array of texts, such as a description's `include`; empty if the key is missing. `example`: an
// element for the error message.
[[nodiscard]] std::vector<std::string> read_strings(TomlReader& reader, const toml::table& table,
                                                    const char* key, const char* example);
// The `kernels` of each [[contrast]] of a catalog.
[[nodiscard]] std::vector<std::vector<std::string>> read_contrasts(TomlReader& reader,
                                                                   const toml::table& catalog);

// The table that read_input reads as the same input.
[[nodiscard]] toml::table input_table(const InputSpec& input);

// The argument { tensor_map = "A", box = [128, 32], swizzle = 128 } of a description.

// Box: rows, columns; expressions. Notes mistakes in `reader`.
[[nodiscard]] ArgumentSpec read_tensor_map(TomlReader& reader, const toml::table& table,
                                           const std::vector<BufferSpec>& buffers);

// The `tuning` table of a kernel: other tile sizes that are worth trying (docs/formats/catalog.md).

// As LaunchSpec::values.
using SizeValues = std::vector<std::pair<std::string, std::int64_t>>;

// Limit for the variations of a kernel: a sweep measures each of them at every size.
inline constexpr std::size_t kMostVariations = 64;

// Every combination of the table's lists that its conditions allow and that is not one of
// `instances`; values without a list are as in the first instance. Empty without a table.
[[nodiscard]] std::vector<SizeValues> read_variations(TomlReader& reader, const toml::table& kernel,
                                                      const std::vector<SizeValues>& instances);

// ":BM=32:SLICES=8": the differences from the first instance.
[[nodiscard]] std::string variation_suffix(const SizeValues& variation, const SizeValues& first);

}  // namespace tilestep::problem
