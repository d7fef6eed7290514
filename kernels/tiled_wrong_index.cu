// tiled_wrong_index: BROKEN ON PURPOSE. The inner loop reads the tile of B along its rows.
//
// The idea       Bs[tx][e] for Bs[e][tx]: every access is inside the tile and every barrier is in
//                place, but the sum is wrong. Inputs that are all equal hide it.
// Changed since  tiled: the indices of Bs are swapped in the inner loop.
// Thread → data  as in tiled
// Costs          as tiled, and bank conflicts: neighbours read Bs BLOCK_SIZE words apart

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void matmul_tiled_wrong_index(const float* A, const float* B, float* C, int M, int N,
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
      acc += As[ty][e] * Bs[tx][e];
    }
    __syncthreads();  // no thread loads the next tile over one still in use (write after read)
  }
  if (row < M && col < N) {
    C[row * N + col] = acc;
  }
}
