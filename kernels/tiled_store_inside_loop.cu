// tiled_store_inside_loop: the tiled kernel with the store of C inside the loop over tiles.
//
// The idea       Correct in the end: the last store decides. But every phase stores the unfinished
//                sums to global memory, and no thread reads them.
// Changed since  tiled: the store has moved up into the loop.
// Thread → data  as in tiled
// Costs          K / BLOCK_SIZE stores (rounded up) for each element of C where 1 is needed; loads
//                as tiled

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void matmul_tiled_store_inside_loop(const float* A, const float* B, float* C, int M,
                                               int N, int K) {
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
    __syncthreads();  // no thread loads the next tile over one still in use (write after read)
    if (row < M && col < N) {
      C[row * N + col] = acc;
    }
  }
}
