// A number that a text gives a name, given another value: `#define TILE 16`, `constexpr int TILE =
// 16;`. So BLOCK_SIZE keeps its slider whatever it is called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilestep::problem {

// Names that the text gives a number once, and not under an #ifndef of them: -D does not change
// those. Sorted.
[[nodiscard]] std::vector<std::string> fixed_constants(std::string_view source);
[[nodiscard]] bool has_fixed_constant(std::string_view source, std::string_view name);

// The text with that value in place of its own; as it is where it has none. Lines stay where they
// are.
[[nodiscard]] std::string with_constant(std::string source, std::string_view name,
                                        std::string_view value);

}  // namespace tilestep::problem
