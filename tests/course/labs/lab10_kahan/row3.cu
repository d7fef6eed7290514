// lab10_kahan, fails at row 3: four sums, each a quarter as long; nothing is given back.

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major
__global__ void lab10_kahan(const float* A, const float* B, float* C, int M, int N, int K) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = idx / N;
  const int col = idx % N;
  if (row < M && col < N) {
    float s[4] = {};
    for (int i = 0; i < K; ++i) {
      s[i % 4] += A[row * K + i] * B[i * N + col];
    }
    C[row * N + col] = (s[0] + s[1]) + (s[2] + s[3]);
  }
}
