#include "timing/host_reference.h"

#include "problem/tr.h"

#include <cassert>
#include <chrono>
#include <cstdlib>
#include <functional>

namespace tilestep::timing {
namespace {

using Product = std::function<problem::Matrix()>;

double seconds_of(const Product& product) {
  const auto start = std::chrono::steady_clock::now();
  const problem::Matrix C = product();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool is_set(const std::atomic<bool>* cancel) {
  return cancel != nullptr && cancel->load();
}

void measure(HostPoint& point, const Product& product, const problem::Matrix& truth, int samples,
             const std::atomic<bool>* cancel) {
  point.error = problem::compare(product(), truth, 0.0);
  for (int i = 0; i < samples && !is_set(cancel); ++i) {
    point.samples_ms.push_back(1e3 * seconds_of(product));
  }
}

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

Result<std::vector<HostPoint>> measure_host(const HostPlan& plan, const std::atomic<bool>* cancel) {
  const auto [M, N, K] = plan.problem;
  const Result<problem::Matrix> A =
      problem::make_input(plan.input, M, K, 0).map(problem::to_float32);
  const Result<problem::Matrix> B =
      problem::make_input(plan.input, K, N, 1).map(problem::to_float32);
  if (!A || !B) {
    return tl::unexpected(!A ? A.error() : B.error());
  }
  const problem::Matrix truth = problem::multiply(*A, *B, problem::Reference::Double);
  struct Host {
    const char* id;
    const char* note;
    problem::Reference how;
  };
  constexpr Host kHosts[] = {
      {"cpu_plain", "float32 sums", problem::Reference::Plain},
      {"cpu_kahan", "float32 sums, compensated", problem::Reference::Kahan},
      {"cpu_double", "float64 sums, rounded once", problem::Reference::Double}};
  std::vector<HostPoint> points;
  for (const Host& host : kHosts) {
    points.push_back({host.id, host.note, {}, {}});
    measure(
        points.back(), [&] { return problem::multiply(*A, *B, host.how); }, truth, plan.samples,
        cancel);
  }
  const Result<HostBlas> blas = HostBlas::open();
  points.push_back({"cpu_blas", blas ? blas->library() : blas.error().message, {}, {}});
  if (blas) {
    measure(
        points.back(), [&] { return blas->multiply(*A, *B); }, truth, plan.samples, cancel);
  }
  return points;
}

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
