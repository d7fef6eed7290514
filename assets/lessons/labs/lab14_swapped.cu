// Lab 14, repair 8: one pair of indices is swapped. There is no finding, but C is wrong.
//
// Fix it, so that no access to shared memory has a bank conflict at BLOCK_SIZE 32.

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void lab14_swapped(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * BLOCK_SIZE + ty;
  int col = blockIdx.x * BLOCK_SIZE + tx;
  float acc = 0.0f;
  for (int t = 0; t < (K + BLOCK_SIZE - 1) / BLOCK_SIZE; ++t) {
    int a_col = t * BLOCK_SIZE + tx;
    int b_row = t * BLOCK_SIZE + ty;
    As[ty][tx] = row < M && a_col < K ? A[row * K + a_col] : 0.0f;
    Bs[ty][tx] = b_row < K && col < N ? B[b_row * N + col] : 0.0f;
    __syncthreads();  // no thread multiplies before the whole tile is loaded (read after write)
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      acc += As[ty][e] * Bs[tx][e];
    }
    __syncthreads();  // no thread loads the next tile over one still in use (write after read)
  }
  if (row < M && col < N) {
    C[row * N + col] = acc;
  }
}
