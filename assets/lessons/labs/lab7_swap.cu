// lab7_swap: correct, but slow. Neighbours in a warp read addresses that are far apart.
//
// The idea       One thread computes one element of C, all from global memory. Which thread has
//                which element decides how many sectors a warp's access needs.
// Thread → data  thread (x, y) of the grid computes C[row = x][col = y]

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
__global__ void lab7_swap(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
      acc += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = acc;
  }
}
