// What the program finds on Windows under other names.
#pragma once

namespace tilestep {

// Sets the variables for folders that the rooms read (XDG Base Directory Specification) unless they
// are set, and UTF-8 for texts on the console. Call it first.
void adapt_to_windows();

}  // namespace tilestep
