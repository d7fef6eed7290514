// Lab 14, repair 5: the loop of an exercise, its blanks filled in and its bounds as printed.
//
// At 8×8×8 it is correct. For which K is it wrong?

// C: hA×wB, row-major    A: hA×wA, row-major    B: wA×wB, row-major
template <int BLOCK_SIZE>
__global__ void MatrixMulSharedMemKernel(float* C, const float* A, const float* B, int hA, int wA,
                                         int wB) {
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int aBegin = wA * BLOCK_SIZE * by;  // first sub-matrix of A
  int aEnd = aBegin + wA - 1;         // last sub-matrix of A
  int aStep = BLOCK_SIZE;
  int bBegin = BLOCK_SIZE * bx;  // first sub-matrix of B
  int bStep = BLOCK_SIZE * wB;
  int row = BLOCK_SIZE * by + ty;
  int col = BLOCK_SIZE * bx + tx;
  float Csub = 0;
  for (int a = aBegin, b = bBegin; a < aEnd; a += aStep, b += bStep) {
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    int k = a - aBegin;
    As[ty][tx] = row < hA && k + tx < wA ? A[a + wA * ty + tx] : 0.0f;
    Bs[ty][tx] = k + ty < wA && col < wB ? B[b + wB * ty + tx] : 0.0f;
    __syncthreads();  // no thread multiplies before both sub-matrices are loaded
    for (int i = 0; i < BLOCK_SIZE; ++i) {
      Csub += As[ty][i] * Bs[i][tx];
    }
    __syncthreads();  // no thread loads over sub-matrices still in use
  }
  int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;
  if (row < hA && col < wB) {
    C[c + wB * ty + tx] = Csub;
  }
}
