// cuBLAS as declared by its manual (DU-06702-001): the few functions that one matrix product needs,
// in float32 (in several ways) and in float64.
#pragma once

#include "gpu/driver_api.h"
#include "problem/file.h"
#include "problem/result.h"

#include <string>

namespace tilestep::gpu {

struct CublasHandleTag;
using CublasHandle = CublasHandleTag*;
using CublasStatus = int;

inline constexpr CublasStatus kCublasSuccess = 0;
inline constexpr int kCublasNoTranspose = 0;
inline constexpr CublasStatus kCublasInvalidValue = 7;
inline constexpr CublasStatus kCublasArchMismatch = 8;
inline constexpr CublasStatus kCublasNotSupported = 15;
inline constexpr int kCublasDefaultMath = 0;
inline constexpr int kCublasPedanticMath = 2;
inline constexpr int kCublasTf32Math = 3;
inline constexpr int kCublasFloat = 0;  // cudaDataType CUDA_R_32F
// cublasComputeType_t
inline constexpr int kCompute32fFast16f = 74;
inline constexpr int kCompute32fFast16bf = 75;
inline constexpr int kCompute32fFastTf32 = 77;
inline constexpr int kCompute32fEmulated16bfx9 = 78;
inline constexpr int kCublasDefaultAlgorithm = -1;  // cublasGemmAlgo_t CUBLAS_GEMM_DEFAULT

struct CublasApi {
  CublasStatus (*create)(CublasHandle* handle) = nullptr;
  CublasStatus (*destroy)(CublasHandle handle) = nullptr;
  CublasStatus (*set_stream)(CublasHandle handle, CuStream stream) = nullptr;
  CublasStatus (*set_math_mode)(CublasHandle handle, int mode) = nullptr;
  // libraryPropertyType: 0 major, 1 minor, 2 patch. Needs no handle.
  CublasStatus (*get_property)(int property, int* value) = nullptr;
  const char* (*get_status_string)(CublasStatus status) = nullptr;
  CublasStatus (*sgemm)(CublasHandle handle, int transpose_a, int transpose_b, int m, int n, int k,
                        const float* alpha, const float* A, int lda, const float* B, int ldb,
                        const float* beta, float* C, int ldc) = nullptr;
  // Not every version has these: null.
  CublasStatus (*gemm_ex)(CublasHandle handle, int transpose_a, int transpose_b, int m, int n,
                          int k, const void* alpha, const void* A, int type_a, int lda,
                          const void* B, int type_b, int ldb, const void* beta, void* C, int type_c,
                          int ldc, int compute, int algorithm) = nullptr;
  CublasStatus (*dgemm)(CublasHandle handle, int transpose_a, int transpose_b, int m, int n, int k,
                        const double* alpha, const double* A, int lda, const double* B, int ldb,
                        const double* beta, double* C, int ldc) = nullptr;
};

struct Cublas {
  SharedLibrary library;
  CublasApi api;
  std::string version;  // "13.1.0"
};

// Fails with the sentence doctor shows.
[[nodiscard]] Result<Cublas> open_cublas(const LibraryNames& names);

}  // namespace tilestep::gpu
