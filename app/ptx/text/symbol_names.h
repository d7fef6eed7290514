// Private to app/ptx: what functions and variables are called on screen.
#pragma once

#include <string>
#include <string_view>

namespace tilestep::ptx {

// "_Z12matmul_tiledILi4EEvPKfS1_Pfiii" → "matmul_tiled<4>": without result and parameters.
[[nodiscard]] std::string short_function_name(std::string_view symbol);
// "_ZZ12matmul_tiledILi4EEvPKfS1_PfiiiE2As" → "As"; "_ZN2ns4coefE" → "ns::coef".
[[nodiscard]] std::string short_variable_name(std::string_view symbol);

}  // namespace tilestep::ptx
