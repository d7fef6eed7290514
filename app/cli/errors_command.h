// tilestep errors: compares kernels and cuBLAS with the float64 product of the same inputs.
#pragma once

#include "timing/errors.h"

#include <string>

namespace tilestep::cli {

// The environment of an error report.
struct ErrorSurroundings {
  std::string gpu;
  std::string driver;
  std::string cublas;
  std::string date;  // ISO 8601, UTC
  problem::Problem problem;
};

[[nodiscard]] std::string errors_text(const timing::ErrorReport& report,
                                      const ErrorSurroundings& where);
[[nodiscard]] std::string errors_json(const timing::ErrorReport& report,
                                      const ErrorSurroundings& where);

}  // namespace tilestep::cli
