// The fake driver with kernels that compute: for tests of sampling and sweeps.
#pragma once

#include "folders.h"
#include "gpu/device.h"
#include "gpu/fake_driver.h"
#include "gpu/probe.h"
#include "problem/problem.h"

#include <cstring>
#include <memory>

namespace tilestep::timing {

// The parameters of naive and tiled, as the driver packs them.
struct MatmulArguments {
  const float* A;
  const float* B;
  float* C;
  int M;
  int N;
  int K;
};

inline MatmulArguments matmul_arguments(const fake::Launch& launch) {
  MatmulArguments arguments{};
  // The packed bytes end with K; the struct ends with padding.
  std::memcpy(static_cast<void*>(&arguments), launch.arguments.data(),
              std::min(launch.arguments.size(), sizeof arguments));
  return arguments;
}

// The work of a correct kernel, element by element.
inline int multiply(const fake::Launch& launch) {
  const MatmulArguments a = matmul_arguments(launch);
  for (int row = 0; row < a.M; ++row) {
    for (int col = 0; col < a.N; ++col) {
      float sum = 0.0F;
      for (int k = 0; k < a.K; ++k) {
        sum += a.A[row * a.K + k] * a.B[k * a.N + col];
      }
      a.C[row * a.N + col] = sum;
    }
  }
  return 0;
}

inline gpu::LibraryNames fake_libraries() {
  return {{test::fake_driver()}, {test::fake_driver()}, {test::fake_driver()}};
}

inline std::unique_ptr<gpu::Device> open_fake_device() {
  return std::move(gpu::Device::open(fake_libraries()).value());
}

}  // namespace tilestep::timing
