// A hash of everything that has a say in what is counted; changes with any of it.
#pragma once

namespace tilestep::workspace {

// 64 hex digits: of the rooms that count, as they are compiled, and of what others add to it
// (CMakeLists.txt has the list, and writes it down while building).
[[nodiscard]] const char* counting_version();

}  // namespace tilestep::workspace
