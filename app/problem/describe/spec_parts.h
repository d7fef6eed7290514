// What the parts of a description may say, whoever reads them: a TOML file or a command line. The
// sentences name no place; the reader puts it before them.
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

// "A" of the buffers → a buffer, "1.5f" or "2 * M" → a scalar.
[[nodiscard]] Result<ArgumentSpec> argument_from_text(const std::string& text,
                                                      const std::vector<BufferSpec>& buffers);

// A buffer's name must not be one of an expression's, nor one of the buffers before it.
[[nodiscard]] std::optional<Error> buffer_name_mistake(const std::string& name,
                                                       const std::vector<BufferSpec>& before);

// `key`: "grid" or "block".
[[nodiscard]] Error sizes_are_missing(std::string_view key);
[[nodiscard]] Error wrong_number_of_sizes(std::string_view key);

// Of a name that is_architecture() does not take.
[[nodiscard]] Error architecture_mistake(const std::string& name);
// Whether it is what ClosedForm::quantity may be.
[[nodiscard]] bool is_quantity(const std::string& name, const LaunchSpec& spec);

// Whether BLOCK_SIZE stands in what decides about the code or the shape of the launch.
[[nodiscard]] bool mentions_block_size(const LaunchSpec& spec);

// Which of the sizes are in it, or in the buffers and arguments: the others change nothing.
struct UsedSizes {
  bool M = false;
  bool N = false;
  bool K = false;
};
[[nodiscard]] UsedSizes used_sizes(const LaunchSpec& spec);

// Whether M, N or K is in it, or in the buffers and arguments.
[[nodiscard]] bool mentions_problem(const LaunchSpec& spec);

// An input as descriptions and lessons write it.

// "identity", or { pattern = "random", seed = 7 }. The text of a CSV file is not read: csv_name is
// its name.
[[nodiscard]] InputSpec read_input(TomlReader& reader, const toml::node& node);
// As read_input, for one buffer of a description: { file = "a.npy" } is allowed as well, and a
// file's pattern follows from its name.
[[nodiscard]] InputSpec read_buffer_input(TomlReader& reader, const toml::node& node);

// An array of texts, such as a description's `include`; a missing key gives none. `example`: one of
// them, for who wrote something else.
[[nodiscard]] std::vector<std::string> read_strings(TomlReader& reader, const toml::table& table,
                                                    const char* key, const char* example);
// The `kernels` of each [[contrast]] of a catalog.
[[nodiscard]] std::vector<std::vector<std::string>> read_contrasts(TomlReader& reader,
                                                                   const toml::table& catalog);

// The table that read_input makes the same input of.
[[nodiscard]] toml::table input_table(const InputSpec& input);

// The argument { tensor_map = "A", box = [128, 32], swizzle = 128 } of a description.

// Box: rows, columns; expressions. Mistakes are noted in `reader`.
[[nodiscard]] ArgumentSpec read_tensor_map(TomlReader& reader, const toml::table& table,
                                           const std::vector<BufferSpec>& buffers);

// The `tuning` table of a kernel: which other sizes of its tiles are worth trying
// (docs/formats.md, "Tuning").

// As LaunchSpec::values.
using SizeValues = std::vector<std::pair<std::string, std::int64_t>>;

// A kernel has no more variations than this: a sweep measures each of them at every size.
inline constexpr std::size_t kMostVariations = 64;

// Every combination of the table's lists that its conditions allow and that is none of the
// `instances`; what it has no list for is as in the first instance. None without a table.
[[nodiscard]] std::vector<SizeValues> read_variations(TomlReader& reader, const toml::table& kernel,
                                                      const std::vector<SizeValues>& instances);

// ":BM=32:SLICES=8": where it differs from the first instance.
[[nodiscard]] std::string variation_suffix(const SizeValues& variation, const SizeValues& first);

}  // namespace tilestep::problem
