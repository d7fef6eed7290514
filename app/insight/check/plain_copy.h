// Whether what a load brings is used, or only put elsewhere in the thread's local memory: copies of
// structures take members along that nobody has set, and a bit-field is stored by loading its whole
// word first.
#pragma once

#include "ptx/model/module.h"

#include <cstdint>

namespace tilestep::insight {

// `load`: pc of an ld. True where all uses of its results, in the text of the function, are stores
// back to where they came from, bits of them also by way of and, or, bfi with something else; or,
// with BackOrFrame, to the function's own frame ([%SP+n]).
enum class CopyTo { Back, BackOrFrame };
[[nodiscard]] bool is_plain_copy(const ptx::Function& function, std::uint32_t load, CopyTo to);

}  // namespace tilestep::insight
