// The argument { tensor_map = "A", box = [128, 32], swizzle = 128 } of a description.
#pragma once

#include "problem/describe/toml_reader.h"
#include "problem/launch/launch.h"

#include <vector>

namespace tilestep::problem {

// Box: rows, columns; expressions. Mistakes are noted in `reader`.
[[nodiscard]] ArgumentSpec read_tensor_map(TomlReader& reader, const toml::table& table,
                                           const std::vector<BufferSpec>& buffers);

}  // namespace tilestep::problem
