#include "gpu/products.h"

#include "problem/tr.h"

#include <utility>

namespace tilestep::gpu {
namespace {

// The compute type for cublasGemmEx; empty if cublasSgemm is used.
struct ComputeType {
  Math math;
  int type;
  const char* name;
};
constexpr ComputeType kComputeTypes[] = {
    {Math::FastTf32, kCompute32fFastTf32, "CUBLAS_COMPUTE_32F_FAST_TF32"},
    {Math::Fast16F, kCompute32fFast16f, "CUBLAS_COMPUTE_32F_FAST_16F"},
    {Math::Fast16BF, kCompute32fFast16bf, "CUBLAS_COMPUTE_32F_FAST_16BF"},
    {Math::Emulated16BFX9, kCompute32fEmulated16bfx9, "CUBLAS_COMPUTE_32F_EMULATED_16BFX9"}};

const ComputeType* compute_type(Math math) {
  for (const ComputeType& type : kComputeTypes) {
    if (type.math == math) {
      return &type;
    }
  }
  return nullptr;
}

template <class Number>
Number* pointer(std::uint64_t address) {
  return reinterpret_cast<Number*>(static_cast<std::uintptr_t>(address));
}

}  // namespace

Products::Products(const LibraryNames& libraries, Context& context, std::string driver_version)
    : context_(context), driver_version_(std::move(driver_version)) {
  Result<Cublas> opened = open_cublas(libraries);
  if (!opened) {
    why_not_ = opened.error().message;
    return;
  }
  context.enter();
  cublas_ = std::move(*opened);
  try {
    check(cublas_.api.create(&handle_), "cublasCreate");
    check(cublas_.api.set_stream(handle_, context.stream()), "cublasSetStream");
  } catch (const GpuError& error) {
    if (handle_ != nullptr) {
      cublas_.api.destroy(std::exchange(handle_, nullptr));
    }
    why_not_ = error.what();
  }
}

Products::~Products() {
  if (handle_ != nullptr && context_.enter_to_release()) {
    cublas_.api.destroy(handle_);
  }
}

void Products::require() const {
  if (handle_ == nullptr) {
    throw GpuError(why_not_, 0, false);
  }
}

void Products::check(CublasStatus status, const char* call) const {
  if (status != kCublasSuccess) {
    throw GpuError(
        tr("{} failed: {}. Check that cuBLAS {} is compatible with the driver ({}).", call,
           cublas_.api.get_status_string(status), cublas_.version, driver_version_),
        status, false);
  }
}

void Products::set_math(Math math) {
  require();
  const int mode = math == Math::Float32 ? kCublasPedanticMath
                   : math == Math::Tf32  ? kCublasTf32Math
                                         : kCublasDefaultMath;
  check(cublas_.api.set_math_mode(handle_, mode), "cublasSetMathMode");
}

// cuBLAS is column-major. Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ on the same bytes.
void Products::enqueue_sgemm(const SgemmOperands& operands) {
  require();
  if (const ComputeType* const type = compute_type(operands.math)) {
    enqueue_gemm_ex(operands, type->type, type->name);
    return;
  }
  const problem::Problem& p = operands.problem;
  const float one = 1.0F;
  const float zero = 0.0F;
  check(cublas_.api.sgemm(handle_, kCublasNoTranspose, kCublasNoTranspose, p.N, p.M, p.K, &one,
                          pointer<float>(operands.B), p.N, pointer<float>(operands.A), p.K, &zero,
                          pointer<float>(operands.C), p.N),
        "cublasSgemm");
}

void Products::enqueue_gemm_ex(const SgemmOperands& operands, int type, const char* name) {
  const auto refuse = [&](CublasStatus status) {
    throw GpuError(tr("cuBLAS {} does not compute this product with {}: {}.", cublas_.version, name,
                      cublas_.api.get_status_string(status)),
                   status, false);
  };
  if (cublas_.api.gemm_ex == nullptr) {
    refuse(kCublasNotSupported);
  }
  const problem::Problem& p = operands.problem;
  const float one = 1.0F;
  const float zero = 0.0F;
  const CublasStatus status = cublas_.api.gemm_ex(
      handle_, kCublasNoTranspose, kCublasNoTranspose, p.N, p.M, p.K, &one,
      pointer<float>(operands.B), kCublasFloat, p.N, pointer<float>(operands.A), kCublasFloat, p.K,
      &zero, pointer<float>(operands.C), kCublasFloat, p.N, type, kCublasDefaultAlgorithm);
  if (status == kCublasNotSupported || status == kCublasInvalidValue ||
      status == kCublasArchMismatch) {
    refuse(status);
  }
  check(status, "cublasGemmEx");
}

void Products::enqueue_dgemm(const SgemmOperands& operands) {
  require();
  const problem::Problem& p = operands.problem;
  const double one = 1.0;
  const double zero = 0.0;
  check(cublas_.api.dgemm == nullptr
            ? kCublasNotSupported
            : cublas_.api.dgemm(handle_, kCublasNoTranspose, kCublasNoTranspose, p.N, p.M, p.K,
                                &one, pointer<double>(operands.B), p.N, pointer<double>(operands.A),
                                p.K, &zero, pointer<double>(operands.C), p.N),
        "cublasDgemm");
}

}  // namespace tilestep::gpu
