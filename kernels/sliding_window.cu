// sliding_window: a window of fixed size slides along the strips, so K is not limited.
//
// The idea       full_strip keeps whole strips. Here only WINDOW columns of A and WINDOW rows of
//                B are in shared memory at a time. With WINDOW = BLOCK_SIZE this is the tiled
//                kernel; a wider window needs fewer barriers and more shared memory.
// Changed since  full_strip: an outer loop over windows, and a second barrier in it.
// Thread → data  thread (tx, ty) of block (bx, by) loads A_shared[ty][tx], [ty][tx + BLOCK_SIZE]
//                and so on, B_shared[ty][tx], [ty + BLOCK_SIZE][tx] and so on, in each phase, and
//                computes C[by·BLOCK_SIZE + ty][bx·BLOCK_SIZE + tx]
// Costs          global loads as full_strip; 8·BLOCK_SIZE·WINDOW bytes of shared memory and
//                2·K / WINDOW barriers, whatever K is

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
// WINDOW: a multiple of BLOCK_SIZE
template <int BLOCK_SIZE, int WINDOW>
__global__ void matmul_sliding_window(const float* A, const float* B, float* C, int M, int N,
                                      int K) {
  __shared__ float A_shared[BLOCK_SIZE][WINDOW];
  __shared__ float B_shared[WINDOW][BLOCK_SIZE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int m = blockIdx.y * BLOCK_SIZE + ty;
  int n = blockIdx.x * BLOCK_SIZE + tx;
  float temp = 0.0f;
  for (int start = 0; start < K; start += WINDOW) {
    for (int s = 0; s < WINDOW; s += BLOCK_SIZE) {
      int a_col = start + s + tx;
      int b_row = start + s + ty;
      A_shared[ty][s + tx] = m < M && a_col < K ? A[m * K + a_col] : 0.0f;
      B_shared[s + ty][tx] = b_row < K && n < N ? B[b_row * N + n] : 0.0f;
    }
    __syncthreads();  // no thread multiplies before the whole window is loaded (read after write)
    for (int k = 0; k < WINDOW; ++k) {
      temp += A_shared[ty][k] * B_shared[k][tx];
    }
    __syncthreads();  // no thread loads the next window over one still in use (write after read)
  }
  if (m < M && n < N) {
    C[m * N + n] = temp;
  }
}
