// tiled_transposed: the tiles stand in shared memory with row and column swapped.
//
// The idea       As[tx][ty] instead of As[ty][tx]: right, and coalesced in global memory. But
//                neighbours in a warp now store BLOCK_SIZE words apart. Shared memory has 32 banks,
//                word by word in turn; words of one bank are served one after the other.
// Changed since  tiled: both indices of As and Bs are swapped, in the stores and in the loads.
// Thread → data  thread (tx, ty) of block (bx, by) loads As[tx][ty] and Bs[tx][ty] in each phase
//                and computes C[by·BLOCK_SIZE + ty][bx·BLOCK_SIZE + tx]
// Costs          as tiled, but every store and every load of Bs takes 2 passes at BLOCK_SIZE 8,
//                8 at 16 and 32 at 32 (bank conflicts)

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void matmul_tiled_transposed(const float* A, const float* B, float* C, int M, int N,
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
    As[tx][ty] = row < M && a_col < K ? A[row * K + a_col] : 0.0f;
    Bs[tx][ty] = b_row < K && col < N ? B[b_row * N + col] : 0.0f;
    __syncthreads();  // nobody multiplies before the whole tile is there (read after write)
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      acc += As[e][ty] * Bs[tx][e];
    }
    __syncthreads();  // nobody loads the next tile over one still in use (write after read)
  }
  if (row < M && col < N) {
    C[row * N + col] = acc;
  }
}
