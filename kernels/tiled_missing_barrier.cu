// tiled_missing_barrier: BROKEN ON PURPOSE. The tiled kernel without its second barrier.
//
// The idea       Nothing keeps a fast warp from loading the next tile into As and Bs while a slow
//                one still multiplies the old one. C is wrong whenever a warp does run ahead, and
//                correct whenever none does: a passing test proves nothing.
// Changed since  tiled: the barrier after the inner loop is gone.
// Thread → data  as in tiled
// Costs          as tiled, less one barrier per phase

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void matmul_tiled_missing_barrier(const float* A, const float* B, float* C, int M, int N,
                                             int K) {
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
      acc += As[ty][e] * Bs[e][tx];
    }
    // missing: __syncthreads(), which keeps the next load off a tile in use (write after read)
  }
  if (row < M && col < N) {
    C[row * N + col] = acc;
  }
}
