// An input as descriptions and lessons write it.
#pragma once

#include "problem/describe/toml_reader.h"
#include "problem/values/inputs.h"

namespace tilestep::problem {

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

}  // namespace tilestep::problem
