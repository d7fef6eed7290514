// A slip: row and col are exchanged where A and B are read, and nowhere else.

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
__global__ void lab7_swap(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
      acc += A[col * K + k] * B[k * N + row];
    }
    C[row * N + col] = acc;
  }
}
