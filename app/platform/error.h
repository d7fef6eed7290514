// What the window system, OpenGL or a file refused.
#pragma once

#include <stdexcept>

namespace tilestep::platform {

class PlatformError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tilestep::platform
