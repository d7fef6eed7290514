// tiled_no_guard: BROKEN ON PURPOSE. The tiled kernel without comparisons with M, N and K.
//
// The idea       At an edge a tile reads elements of the next row instead of zeros, and threads
//                read and store past the end of the matrices.
// Changed since  tiled: the comparisons are gone; no error if BLOCK_SIZE divides M, N, K.
// Thread → data  as in tiled
// Costs          as tiled

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void matmul_tiled_no_guard(const float* A, const float* B, float* C, int M, int N,
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
    As[ty][tx] = A[row * K + a_col];
    Bs[ty][tx] = B[b_row * N + col];
    __syncthreads();  // no thread multiplies before the whole tile is loaded (read after write)
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      acc += As[ty][e] * Bs[e][tx];
    }
    __syncthreads();  // no thread loads the next tile over one still in use (write after read)
  }
  C[row * N + col] = acc;
}
