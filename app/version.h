// What `tilestep --version` says.
#pragma once

namespace tilestep {

// "tilestep 0.1.0 (640bc53, Release)": version, commit, build type; without the commit where the
// source is no git checkout. Defined in a source that the build writes (cmake/Version.cmake).
[[nodiscard]] const char* version();

}  // namespace tilestep
