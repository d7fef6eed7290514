// The host's own products: what results are compared with, timed, and how far each is from the
// float64 one.
#pragma once

#include "problem/file.h"
#include "problem/launch/reference.h"

#include <atomic>
#include <string>
#include <vector>

namespace tilestep::timing {

struct HostPoint {
  std::string id;    // cpu_plain, cpu_kahan, cpu_double, cpu_blas
  std::string note;  // what it is; for a BLAS that is not there, the cure
  std::vector<double> samples_ms;
  // With cpu_double. Relative errors as teaching texts define them: |c - d| / |d| where d is not 0;
  // the average is over all elements of C.
  problem::Comparison error;
};

struct HostPlan {
  problem::Problem problem;
  problem::InputSpec input;
  int samples = 5;
};

// One thread, but for a BLAS that has its own. Every sample is one product into fresh memory, after
// one that is not counted. Fails when the input does not fit the size. Cancelled: those measured so
// far.
[[nodiscard]] Result<std::vector<HostPoint>> measure_host(const HostPlan& plan,
                                                          const std::atomic<bool>* cancel);

// cblas_sgemm of a CPU library, opened at run time: a reference that others wrote and tuned.

class HostBlas {
 public:
  // The library that $TILESTEP_BLAS names, else the first usual one that has cblas_sgemm. The error
  // says what to install.
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
