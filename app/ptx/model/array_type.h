// Arrays of arrays, down to what they hold.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>
#include <vector>

namespace tilestep::ptx {

// What an array (of arrays) holds in the end, or the type itself; kNoType where that is not known.
// `counts`, if there, get how many elements each dimension has, outermost first.
[[nodiscard]] TypeId innermost_element(const Module& module, TypeId type,
                                       std::vector<std::uint32_t>* counts = nullptr);

}  // namespace tilestep::ptx
