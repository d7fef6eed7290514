// convolution_tiled: a block loads its pixels and a halo around them into shared memory.
//
// The idea       The windows of neighboring pixels overlap. BLOCK_SIZE×BLOCK_SIZE windows together
//                cover a tile of (BLOCK_SIZE + K - 1)×(BLOCK_SIZE + K - 1) pixels: the last K - 1
//                rows and columns are the halo, which the next blocks load as well.
// Changed since  convolution_naive: global loads are shared by the block. Since tiled: one phase,
//                so one barrier is enough; a tile is larger than the block, so threads load in a
//                loop.
// Thread → data  thread (tx, ty) of block (bx, by) loads As[ty][tx] and every BLOCK_SIZE-th pixel
//                from there, and computes C[by·BLOCK_SIZE + ty][bx·BLOCK_SIZE + tx]
// Costs          a block loads its tile and the K·K weights once; 2·K·K shared loads for each pixel
//                of C.

// A: (M + K - 1)×(N + K - 1), row-major    B: K×K, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE, int K>
__global__ void convolution_tiled(const float* A, const float* B, float* C, int M, int N) {
  constexpr int TILE = BLOCK_SIZE + K - 1;
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[K][K];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int first_row = blockIdx.y * BLOCK_SIZE;  // of the tile in A and of the block's pixels in C
  int first_col = blockIdx.x * BLOCK_SIZE;
  int height = M + K - 1;  // of A
  int width = N + K - 1;
  for (int y = ty; y < TILE; y += BLOCK_SIZE) {
    for (int x = tx; x < TILE; x += BLOCK_SIZE) {
      int a_row = first_row + y;
      int a_col = first_col + x;
      As[y][x] = a_row < height && a_col < width ? A[a_row * width + a_col] : 0.0f;
    }
  }
  for (int y = ty; y < K; y += BLOCK_SIZE) {
    for (int x = tx; x < K; x += BLOCK_SIZE) {
      Bs[y][x] = B[y * K + x];
    }
  }
  __syncthreads();  // no thread multiplies before the whole tile is loaded (read after write)
  float acc = 0.0f;
  for (int i = 0; i < K; ++i) {
    for (int j = 0; j < K; ++j) {
      acc += As[ty + i][tx + j] * Bs[i][j];
    }
  }
  int row = first_row + ty;
  int col = first_col + tx;
  if (row < M && col < N) {
    C[row * N + col] = acc;
  }
}
