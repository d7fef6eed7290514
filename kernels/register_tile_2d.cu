// register_tile_2d: a thread computes TM×TN elements of C.
//
// The idea       A thread that has TM elements of As and TN of Bs in registers makes TM·TN products
//                of them. The shared loads for each product fall with the tile's edge, not with its
//                area: this is the step that brings a kernel near cuBLAS.
// Changed since  register_tile_1d: TN columns a thread; a_reg and b_reg hold what is used again.
// Thread → data  thread (tx, ty) of block (bx, by) computes C[by·TM·BLOCK_SIZE + ty +
//                i·BLOCK_SIZE][bx·TN·BLOCK_SIZE + tx + j·BLOCK_SIZE] for i = 0 to TM - 1 and
//                j = 0 to TN - 1: neighbours stay neighbours, so nothing conflicts
// Costs          (TM + TN) / (TM·TN) shared loads for each product; A is read N / (TN·BLOCK_SIZE)
//                times, B M / (TM·BLOCK_SIZE) times

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE, int TM, int TN>
__global__ void __launch_bounds__(BLOCK_SIZE* BLOCK_SIZE)
    matmul_register_tile_2d(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TM * BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[BLOCK_SIZE][TN * BLOCK_SIZE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int first_row = blockIdx.y * TM * BLOCK_SIZE + ty;
  int first_col = blockIdx.x * TN * BLOCK_SIZE + tx;
  float acc[TM][TN] = {};
  for (int t = 0; t < (K + BLOCK_SIZE - 1) / BLOCK_SIZE; ++t) {
    int a_col = t * BLOCK_SIZE + tx;
    int b_row = t * BLOCK_SIZE + ty;
    for (int i = 0; i < TM; ++i) {
      int row = first_row + i * BLOCK_SIZE;
      As[ty + i * BLOCK_SIZE][tx] = row < M && a_col < K ? A[row * K + a_col] : 0.0f;
    }
    for (int j = 0; j < TN; ++j) {
      int col = first_col + j * BLOCK_SIZE;
      Bs[ty][tx + j * BLOCK_SIZE] = b_row < K && col < N ? B[b_row * N + col] : 0.0f;
    }
    __syncthreads();  // nobody multiplies before both tiles are there (read after write)
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      float a_reg[TM];
      float b_reg[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        a_reg[i] = As[ty + i * BLOCK_SIZE][e];
      }
#pragma unroll
      for (int j = 0; j < TN; ++j) {
        b_reg[j] = Bs[e][tx + j * BLOCK_SIZE];
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          acc[i][j] += a_reg[i] * b_reg[j];
        }
      }
    }
    __syncthreads();  // nobody loads the next tiles over those still in use (write after read)
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      int row = first_row + i * BLOCK_SIZE;
      int col = first_col + j * BLOCK_SIZE;
      if (row < M && col < N) {
        C[row * N + col] = acc[i][j];
      }
    }
  }
}
