// loops: the product as a host computes it, with three loops. A single thread executes them here,
// so that they can be stepped.

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
__global__ void loops(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < N; ++col) {
      float sum = 0.0f;
      for (int k = 0; k < K; ++k) {
        sum += A[row * K + k] * B[k * N + col];
      }
      C[row * N + col] = sum;
    }
  }
}
