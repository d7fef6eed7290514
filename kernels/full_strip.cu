// full_strip: a block loads whole strips of A and B into shared memory, then multiplies them.
//
// The idea       The block's elements of C need BLOCK_SIZE rows of A and BLOCK_SIZE columns of B.
//                Load all of them once, wait once, and multiply without another barrier.
// Changed since  naive: the strips are loaded once by the block instead of by every thread.
// Thread → data  thread (tx, ty) of block (bx, by) loads A_shared[ty][tx], [ty][tx + BLOCK_SIZE]
//                and so on, B_shared[ty][tx], [ty + BLOCK_SIZE][tx] and so on, and computes
//                C[by·BLOCK_SIZE + ty][bx·BLOCK_SIZE + tx]
// Costs          as many global loads as tiled: each block loads its own strips, so A is read
//                N / BLOCK_SIZE times and B M / BLOCK_SIZE times; but 8·BLOCK_SIZE·K bytes of
//                shared memory, so K is limited

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N
// K_PADDED: K rounded up to a multiple of BLOCK_SIZE, else the last threads store past the strips
template <int BLOCK_SIZE, int K_PADDED>
__global__ void matmul_full_strip(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float A_shared[BLOCK_SIZE][K_PADDED];
  __shared__ float B_shared[K_PADDED][BLOCK_SIZE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int m = blockIdx.y * BLOCK_SIZE + ty;
  int n = blockIdx.x * BLOCK_SIZE + tx;
  for (int s = 0; s < K_PADDED; s += BLOCK_SIZE) {
    int a_col = s + tx;
    int b_row = s + ty;
    A_shared[ty][a_col] = m < M && a_col < K ? A[m * K + a_col] : 0.0f;
    B_shared[b_row][tx] = b_row < K && n < N ? B[b_row * N + n] : 0.0f;
  }
  __syncthreads();  // no thread multiplies before both strips are loaded (read after write)
  if (m < M && n < N) {
    float temp = 0.0f;
    for (int k = 0; k < K; ++k) {
      temp += A_shared[ty][k] * B_shared[k][tx];
    }
    C[m * N + n] = temp;
  }
}
