// A slip: the blocks are exchanged, and the threads in them are not.

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
__global__ void lab7_swap(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.x;
  int col = blockIdx.x * blockDim.x + threadIdx.y;
  if (row < M && col < N) {
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
      acc += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = acc;
  }
}
