#include "gpu/cublas_api.h"

#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilestep::gpu {

Result<Cublas> open_cublas(const LibraryNames& names) {
  Result<SharedLibrary> library = SharedLibrary::open(names.cublas);
  if (!library) {
    return fail(
        tr("No cuBLAS: {}. Install the CUDA Toolkit's cuBLAS (libcublas.so.13) to compare with it.",
           library.error().message));
  }
  Cublas cublas{std::move(*library), {}, {}};
  cublas.library.bind(cublas.api.create, "cublasCreate_v2");
  cublas.library.bind(cublas.api.destroy, "cublasDestroy_v2");
  cublas.library.bind(cublas.api.set_stream, "cublasSetStream_v2");
  cublas.library.bind(cublas.api.set_math_mode, "cublasSetMathMode");
  cublas.library.bind(cublas.api.get_property, "cublasGetProperty");
  cublas.library.bind(cublas.api.get_status_string, "cublasGetStatusString");
  cublas.library.bind(cublas.api.sgemm, "cublasSgemm_v2");
  if (!cublas.library.missing().empty()) {
    return fail(tr("cuBLAS {} is too old: it lacks {}. Install version 12 or newer.",
                   cublas.library.name(), fmt::join(cublas.library.missing(), ", ")));
  }
  // What only some commands ask for is missed where they do.
  cublas.library.bind(cublas.api.gemm_ex, "cublasGemmEx");
  cublas.library.bind(cublas.api.dgemm, "cublasDgemm_v2");
  int version[3] = {0, 0, 0};
  for (int property = 0; property < 3; ++property) {
    if (cublas.api.get_property(property, &version[property]) != kCublasSuccess) {
      return fail(tr("cuBLAS {} did not report its version. Reinstall the CUDA Toolkit.",
                     cublas.library.name()));
    }
  }
  cublas.version = fmt::format("{}.{}.{}", version[0], version[1], version[2]);
  return cublas;
}

}  // namespace tilestep::gpu
