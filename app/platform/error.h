// Errors of the window system, OpenGL or files.
#pragma once

#include <stdexcept>

namespace tilestep::platform {

class PlatformError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The graphics driver was reset, and all graphics objects are lost. A new window works.
class ContextLost : public PlatformError {
  using PlatformError::PlatformError;
};

}  // namespace tilestep::platform
