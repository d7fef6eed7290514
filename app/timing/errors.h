// Errors of products of kernels and of cuBLAS against the float64 product of the same inputs, and
// their handling of infinities, NaN and subnormals.
#pragma once

#include "compile/compiler.h"
#include "gpu/device.h"
#include "problem/describe/catalog.h"
#include "problem/values/inputs.h"
#include "problem/words.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilestep::timing {

// d: the float minus the float64 number, element by element, over the finite elements of C.
struct ErrorFigures {
  double max_abs = 0.0;       // max |d|
  double mean_abs = 0.0;      // mean |d|
  double frobenius = 0.0;     // ‖C − C64‖_F / ‖C64‖_F; 0 if C64 is 0
  double max_over_rms = 0.0;  // max |d| / RMS(C64); 0 if C64 is 0
  std::uint64_t elements = 0;
  std::uint64_t not_finite = 0;  // of C, where C64 is finite
};
// Both must have the same size.
[[nodiscard]] ErrorFigures error_figures(std::span<const float> C,
                                         std::span<const double> reference);

struct ErrorRow {
  std::string series;  // catalog id, or one of dataset_points.h
  std::string note;    // why there are no figures; otherwise empty
  ErrorFigures figures;
};

// The float64 product by cublasDgemm, of which the host checks some rows. Without cuBLAS the host
// computes some rows, and only those are compared.
struct ErrorReference {
  bool is_of_gpu = false;
  std::vector<int> host_rows;  // computed by the host
  // For cublasDgemm in those rows: the largest |d| over the sum of |A[i][k]·B[k][j]|.
  double largest_slip = 0.0;
};

struct ErrorTable {
  problem::InputSpec input;
  ErrorReference reference;
  std::vector<ErrorRow> rows;
};

// A is 0 except A[0][0], B is 1: C[0][0] should be that value, C[1][0] should be 0.
struct SpecialValue {
  Message name;
  float value;
};
[[nodiscard]] std::span<const SpecialValue> special_values();
inline constexpr problem::Problem kSpecialProblem{128, 128, 128};

struct SpecialRow {
  std::string series;
  std::string note;  // as above
  struct Got {
    float first = 0.0F;  // C[0][0]
    float below = 0.0F;  // C[1][0]
  };
  std::vector<Got> got;  // by special_values()
};

struct ErrorPlan {
  std::vector<const problem::LaunchSpec*> kernels;
  std::vector<std::string> cublas;  // ids
  problem::Parameters parameters;
  std::vector<problem::InputSpec> inputs;
};

struct ErrorReport {
  std::vector<ErrorTable> tables;    // one per input
  std::vector<SpecialRow> specials;  // one per series
  std::string compiler;              // NVRTC
};

// Fails if an input does not fit the size, or if cublasDgemm differs from the host's product in the
// sampled rows. Throws gpu::GpuError if the context is lost. Cancelled: the results so far.
[[nodiscard]] Result<ErrorReport> measure_errors(gpu::Device& device, compile::Compiler& compiler,
                                                 const ErrorPlan& plan,
                                                 const std::atomic<bool>* cancel);

}  // namespace tilestep::timing
