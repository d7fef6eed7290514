// Text of instructions, assembled from their decoded form.
#pragma once

#include "ptx/model/module.h"

#include <string>

namespace tilestep::ptx {

// The text of one instruction from its decoded form: "@!%p1 setp.lt.s32 %p2, %r1, 4". Dropped
// modifiers are missing, types are last, constants are the bits as signed numbers. Unknown
// instructions give "unknown".
[[nodiscard]] std::string assemble(const Module& module, const Function& function,
                                   const Instruction& instruction);

[[nodiscard]] std::string_view type_name(Type type);     // "u32"; None: ""
[[nodiscard]] std::string_view space_name(Space space);  // "shared"; Generic: ""

}  // namespace tilestep::ptx
