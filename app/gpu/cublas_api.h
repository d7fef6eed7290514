// cuBLAS as declared by its manual (DU-06702-001): the few functions that one float32 matrix
// product needs.
#pragma once

#include "gpu/driver_api.h"
#include "problem/result.h"
#include "problem/shared_library.h"

#include <string>

namespace tilestep::gpu {

struct CublasHandleTag;
using CublasHandle = CublasHandleTag*;
using CublasStatus = int;

inline constexpr CublasStatus kCublasSuccess = 0;
inline constexpr int kCublasNoTranspose = 0;
inline constexpr int kCublasPedanticMath = 2;
inline constexpr int kCublasTf32Math = 3;

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
};

struct Cublas {
  SharedLibrary library;
  CublasApi api;
  std::string version;  // "13.1.0"
};

// Fails with the sentence doctor shows.
[[nodiscard]] Result<Cublas> open_cublas(const LibraryNames& names);

}  // namespace tilestep::gpu
