// Names that a text declares itself: such a name cannot be a macro of a build script.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilestep::problem {

// Whether one of the places where `tokens` (CudaText::tokens) name it declares it: as a variable,
// parameter, member, template parameter, function, type, alias or enumerator, in any scope.
[[nodiscard]] bool declares_name(const std::vector<std::string>& tokens, std::string_view name);

}  // namespace tilestep::problem
