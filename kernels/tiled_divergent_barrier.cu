// tiled_divergent_barrier: BROKEN ON PURPOSE. The second barrier is inside a branch.
//
// The idea       Threads outside of C have nothing to multiply, so they skip the inner loop. But
//                the barrier is in the branch with it: every thread of the block has to reach it,
//                and these do not.
// Changed since  tiled: the inner loop and the barrier after it are for threads inside of C only.
// Thread → data  as in tiled
// Costs          as tiled; where BLOCK_SIZE divides M and N no thread is outside, so no error shows

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void matmul_tiled_divergent_barrier(const float* A, const float* B, float* C, int M,
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
    if (row < M && col < N) {
      for (int e = 0; e < BLOCK_SIZE; ++e) {
        acc += As[ty][e] * Bs[e][tx];
      }
      __syncthreads();  // wrong place: not every thread arrives (write after read)
    }
  }
  if (row < M && col < N) {
    C[row * N + col] = acc;
  }
}
