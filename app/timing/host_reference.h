// The host's own products: references for results, timed, and their errors against the float64
// product.
#pragma once

#include "problem/file.h"
#include "problem/launch/reference.h"

#include <atomic>
#include <string>
#include <vector>

namespace tilestep::timing {

struct HostPoint {
  std::string id;    // cpu_plain, cpu_kahan, cpu_double, cpu_blas
  std::string note;  // a description; for a missing BLAS, the cure
  std::vector<double> samples_ms;
  // For cpu_double. Relative errors as defined in textbooks: |c - d| / |d| if d is not 0; the
  // average is over all elements of C.
  problem::Comparison error;
};

struct HostPlan {
  problem::Problem problem;
  problem::InputSpec input;
  int samples = 5;
};

// One thread, except for a BLAS with threads of its own. Every sample is one product into fresh
// memory, after one that is not counted. Fails if the input does not fit the size. Cancelled: the
// points measured so far.
[[nodiscard]] Result<std::vector<HostPoint>> measure_host(const HostPlan& plan,
                                                          const std::atomic<bool>* cancel);

// cblas_sgemm of a CPU library, opened at run time: an independent, tuned reference.

class HostBlas {
 public:
  // The library in $TILESTEP_BLAS, otherwise the first usual one with cblas_sgemm. The error says
  // what to install.
  [[nodiscard]] static Result<HostBlas> open();

  [[nodiscard]] const std::string& library() const { return library_.name(); }
  // A: M×K, B: K×N; C: M×N.
  [[nodiscard]] problem::Matrix multiply(const problem::Matrix& A, const problem::Matrix& B) const;

 private:
  using Sgemm = void(int layout, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                     const float* a, int lda, const float* b, int ldb, float beta, float* c,
                     int ldc);

  SharedLibrary library_;
  Sgemm* sgemm_ = nullptr;
};

}  // namespace tilestep::timing
