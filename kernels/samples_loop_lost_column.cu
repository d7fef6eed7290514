// samples_loop_lost_column: BROKEN ON PURPOSE. The loop over sub-matrices may end too early.
//
// The idea       BROKEN: aEnd is the last column of the first row, an element that still belongs to
//                A, so the loop has to run while a <= aEnd. With a < aEnd it loses the sub-matrix
//                that begins in the last column. There is one if BLOCK_SIZE divides K - 1:
//                K = 9 with BLOCK_SIZE 4, and every K with BLOCK_SIZE 1. Other sizes are correct.
// Changed since  samples_loop: < instead of <=.
// Thread → data  as in samples_loop
// Costs          as samples_loop, without the column that is lost

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    hA = M, wA = K, wB = N
template <int BLOCK_SIZE>
__global__ void matmul_samples_loop_lost_column(float* C, const float* A, const float* B, int hA,
                                                int wA, int wB) {
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int aBegin = wA * BLOCK_SIZE * by;  // first sub-matrix of A
  int aEnd = aBegin + wA - 1;         // last column of its first row
  int aStep = BLOCK_SIZE;             // to the next sub-matrix on the right
  int bBegin = BLOCK_SIZE * bx;       // first sub-matrix of B
  int bStep = BLOCK_SIZE * wB;        // to the next sub-matrix below
  int row = BLOCK_SIZE * by + ty;
  int col = BLOCK_SIZE * bx + tx;
  float Csub = 0.0f;
  for (int a = aBegin, b = bBegin; a < aEnd; a += aStep, b += bStep) {  // wrong: a <= aEnd
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    int k = a - aBegin;  // first column of this sub-matrix of A, first row of that of B
    As[ty][tx] = row < hA && k + tx < wA ? A[a + wA * ty + tx] : 0.0f;
    Bs[ty][tx] = k + ty < wA && col < wB ? B[b + wB * ty + tx] : 0.0f;
    __syncthreads();  // no thread multiplies before both sub-matrices are loaded (read after write)
    for (int i = 0; i < BLOCK_SIZE; ++i) {
      Csub += As[ty][i] * Bs[i][tx];
    }
    __syncthreads();  // no thread loads over sub-matrices still in use (write after read)
  }
  int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;  // first element of the block's part of C
  if (row < hA && col < wB) {
    C[c + wB * ty + tx] = Csub;
  }
}
