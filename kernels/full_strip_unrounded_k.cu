// full_strip_unrounded_k: BROKEN ON PURPOSE. The strips are K columns long, whatever K is.
//
// The idea       BROKEN: the loop takes BLOCK_SIZE columns at a time. Where BLOCK_SIZE does not
//                divide K its last round reaches past the strips: a thread beyond K stores its zero
//                into the next row, over the element that another thread loads (a race), and those
//                of the last row store past the end. A text says only efficiency suffers there.
// Changed since  full_strip: the strips have K columns, not K rounded up
// Thread → data  as in full_strip
// Costs          as full_strip, less the padding

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N
// K_: K itself, correct only where BLOCK_SIZE divides it
template <int BLOCK_SIZE, int K_>
__global__ void matmul_full_strip_unrounded_k(const float* A, const float* B, float* C, int M,
                                              int N, int K) {
  __shared__ float A_shared[BLOCK_SIZE][K_];  // wrong where BLOCK_SIZE does not divide K
  __shared__ float B_shared[K_][BLOCK_SIZE];  // so is this
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int m = blockIdx.y * BLOCK_SIZE + ty;
  int n = blockIdx.x * BLOCK_SIZE + tx;
  for (int s = 0; s < K_; s += BLOCK_SIZE) {
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
