// lab12_rows, fails at row 4: the tile of B is made four times as high, too, though one tile of it
// is used.

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void lab12_rows(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int TM = 4;
  __shared__ float As[TM * BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[TM * BLOCK_SIZE][BLOCK_SIZE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * TM * BLOCK_SIZE + ty;  // the thread's first row
  int col = blockIdx.x * BLOCK_SIZE + tx;
  float acc[TM] = {};
  for (int t = 0; t < (K + BLOCK_SIZE - 1) / BLOCK_SIZE; ++t) {
    int a_col = t * BLOCK_SIZE + tx;
    int b_row = t * BLOCK_SIZE + ty;
    for (int i = 0; i < TM; ++i) {
      int a_row = row + i * BLOCK_SIZE;
      As[ty + i * BLOCK_SIZE][tx] = a_row < M && a_col < K ? A[a_row * K + a_col] : 0.0f;
      int next_row = b_row + i * BLOCK_SIZE;
      Bs[ty + i * BLOCK_SIZE][tx] = next_row < K && col < N ? B[next_row * N + col] : 0.0f;
    }
    __syncthreads();  // nobody multiplies before the whole tile is there (read after write)
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      float b = Bs[e][tx];
      for (int i = 0; i < TM; ++i) {
        acc[i] += As[ty + i * BLOCK_SIZE][e] * b;
      }
    }
    __syncthreads();  // nobody loads the next tile over one still in use (write after read)
  }
  for (int i = 0; i < TM; ++i) {
    if (row + i * BLOCK_SIZE < M && col < N) {
      C[(row + i * BLOCK_SIZE) * N + col] = acc[i];
    }
  }
}
