template <int BLOCK_SIZE>
__global__ void lab8_pad(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int PAD = 32 / BLOCK_SIZE;
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE + PAD];
  __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE + PAD];
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
    __syncthreads();  // no thread multiplies before the whole tile is loaded
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      acc += As[e][ty] * Bs[tx][e];
    }
    __syncthreads();  // no thread loads the next tile over one still in use
  }
  if (row < M && col < N) {
    C[row * N + col] = acc;
  }
}
