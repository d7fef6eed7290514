// lab10_kahan, solved.

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major
__global__ void lab10_kahan(const float* A, const float* B, float* C, int M, int N, int K) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = idx / N;
  const int col = idx % N;
  if (row < M && col < N) {
    float t = 0.0f;
    float y = 0.0f;  // minus the next product, and what the sum has lost so far
    for (int i = 0; i < K; ++i) {
      y -= A[row * K + i] * B[i * N + col];
      float r = t - y;
      y = (r - t) + y;
      t = r;
    }
    C[row * N + col] = t;
  }
}
