// cblas_sgemm of a CPU library, opened at run time: a reference that others wrote and tuned.
#pragma once

#include "problem/file.h"
#include "problem/launch/reference.h"

#include <string>

namespace tilestep::timing {

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
