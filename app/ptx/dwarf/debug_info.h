// The debug information of a PTX file, decoded into its Module.
#pragma once

#include "problem/result.h"
#include "ptx/text/parsed_text.h"

namespace tilestep::ptx {

// Decodes `sections` into the parts of `module` that parse_text leaves empty; without debug
// sections they stay empty. Makes the kernel's own text file 1 in every module.
[[nodiscard]] Result<void> attach_debug_info(ParsedText& parsed);

}  // namespace tilestep::ptx
