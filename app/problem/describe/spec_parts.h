// What the parts of a description may say, whoever reads them: a TOML file or a command line. The
// sentences name no place; the reader puts it before them.
#pragma once

#include "problem/launch/launch.h"
#include "problem/result.h"

#include <optional>
#include <string>
#include <string_view>
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

}  // namespace tilestep::problem
