// samples_loop_unchecked: the CUDA samples' form as it is printed, without boundary checks.
//
// The idea       A block walks through A from element aBegin, aStep to the right each round, and
//                through B from bBegin, bStep further each round, which is BLOCK_SIZE rows down.
//                Correct as long as BLOCK_SIZE divides M, N and K; otherwise threads reach past the
//                ends of rows and of matrices.
// Changed since  tiled: running offsets a and b in place of row·width + column, no comparisons.
// Thread → data  thread (tx, ty) of block (bx, by) loads As[ty][tx] and Bs[ty][tx] in each round
//                and computes C[by·BLOCK_SIZE + ty][bx·BLOCK_SIZE + tx]
// Costs          2·K / BLOCK_SIZE global loads for each element of C, as tiled

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    wA = K, wB = N
template <int BLOCK_SIZE>
__global__ void matmul_samples_loop_unchecked(float* C, const float* A, const float* B, int wA,
                                              int wB) {
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int aBegin = wA * BLOCK_SIZE * by;  // first sub-matrix of A
  int aEnd = aBegin + wA - 1;         // last column of its first row
  int aStep = BLOCK_SIZE;             // to the next sub-matrix on the right
  int bBegin = BLOCK_SIZE * bx;       // first sub-matrix of B
  int bStep = BLOCK_SIZE * wB;        // to the next sub-matrix below
  float Csub = 0.0f;
  for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    As[ty][tx] = A[a + wA * ty + tx];
    Bs[ty][tx] = B[b + wB * ty + tx];
    __syncthreads();  // no thread multiplies before both sub-matrices are loaded (read after write)
    for (int i = 0; i < BLOCK_SIZE; ++i) {
      Csub += As[ty][i] * Bs[i][tx];
    }
    __syncthreads();  // no thread loads over sub-matrices still in use (write after read)
  }
  int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;  // first element of the block's part of C
  C[c + wB * ty + tx] = Csub;
}
