// Lab 12: a thread computes four elements of a column of C.
//
// The grid has blocks for tiles of C that are TM·BLOCK_SIZE rows high. So far a thread computes the
// first of its elements only. Make it compute all TM, with one load of Bs for TM products.
//
// Thread (tx, ty) of block (bx, by) computes C[by·TM·BLOCK_SIZE + ty + i·BLOCK_SIZE]
// [bx·BLOCK_SIZE + tx] for i = 0 to TM - 1.

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void lab12_rows(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int TM = 4;
  __shared__ float As[TM * BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * TM * BLOCK_SIZE + ty;  // the thread's first row
  int col = blockIdx.x * BLOCK_SIZE + tx;
  float acc[TM] = {};
  for (int t = 0; t < (K + BLOCK_SIZE - 1) / BLOCK_SIZE; ++t) {
    int a_col = t * BLOCK_SIZE + tx;
    int b_row = t * BLOCK_SIZE + ty;
    // TODO 1: the tile of A is TM times as high as the block
    As[ty][tx] = row < M && a_col < K ? A[row * K + a_col] : 0.0f;
    Bs[ty][tx] = b_row < K && col < N ? B[b_row * N + col] : 0.0f;
    __syncthreads();  // no thread multiplies before the whole tile is loaded (read after write)
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      // TODO 2: TM products with the same element of Bs
      acc[0] += As[ty][e] * Bs[e][tx];
    }
    __syncthreads();  // no thread loads the next tile over one still in use (write after read)
  }
  // TODO 3: TM elements of C
  if (row < M && col < N) {
    C[row * N + col] = acc[0];
  }
}
