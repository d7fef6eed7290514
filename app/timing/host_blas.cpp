#include "timing/host_blas.h"

#include "problem/tr.h"

#include <cassert>
#include <cstdlib>
#include <vector>

namespace tilestep::timing {
namespace {

// cblas.h of the reference CBLAS
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;

std::vector<std::string> candidates() {
  if (const char* const chosen = std::getenv("TILESTEP_BLAS")) {
    return {chosen};
  }
  return {"libopenblas.so.0", "libmkl_rt.so.2", "libblis.so.4", "libblas.so.3", "libcblas.so.3"};
}

}  // namespace

Result<HostBlas> HostBlas::open() {
  std::string reason;
  for (const std::string& name : candidates()) {
    Result<SharedLibrary> library = SharedLibrary::open({name});
    if (!library) {
      reason = library.error().message;
      continue;
    }
    HostBlas blas;
    blas.library_ = std::move(*library);
    blas.library_.bind(blas.sgemm_, "cblas_sgemm");
    if (blas.sgemm_ != nullptr) {
      return blas;
    }
    reason = tr("{} has no cblas_sgemm", name);
  }
  return fail(
      tr("No CPU BLAS found ({}). Install one (Debian: libopenblas0-pthread), or set "
         "TILESTEP_BLAS to a library with cblas_sgemm.",
         reason));
}

problem::Matrix HostBlas::multiply(const problem::Matrix& A, const problem::Matrix& B) const {
  assert(A.cols == B.rows && "the width of A is the height of B");
  problem::Matrix C{
      A.rows, B.cols,
      std::vector<float>(static_cast<std::size_t>(A.rows) * static_cast<std::size_t>(B.cols))};
  sgemm_(kRowMajor, kNoTranspose, kNoTranspose, A.rows, B.cols, A.cols, 1.0F, A.values.data(),
         A.cols, B.values.data(), B.cols, 0.0F, C.values.data(), C.cols);
  return C;
}

}  // namespace tilestep::timing
