// What the window system, OpenGL or a file refused.
#pragma once

#include <stdexcept>

namespace tilestep::platform {

class PlatformError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The graphics driver was reset, and everything that was drawn with is gone. A new window works.
class ContextLost : public PlatformError {
  using PlatformError::PlatformError;
};

}  // namespace tilestep::platform
