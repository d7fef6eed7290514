// lab5_samples: the CUDA samples' loop as an exercise prints it, for any M, N and K.
//
// The idea       A block walks through A from element aBegin, aStep to the right each round, and
//                through B from bBegin, bStep further each round, which is BLOCK_SIZE rows down.
// Thread → data  thread (tx, ty) of block (bx, by) loads As[ty][tx] and Bs[ty][tx] in each round
//                and computes C[by·BLOCK_SIZE + ty][bx·BLOCK_SIZE + tx]

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    hA = M, wA = K, wB = N
template <int BLOCK_SIZE>
__global__ void lab5_samples(float* C, const float* A, const float* B, int hA, int wA, int wB) {
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
  for (int a = aBegin, b = bBegin; a < aEnd; a += aStep, b += bStep) {
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    // TODO 1: load this thread's element of A into As and its element of B into Bs.
    // Beyond the edges of A and B the tiles have zeros.
    As[ty][tx] = 0.0f;
    Bs[ty][tx] = 0.0f;
    __syncthreads();  // no thread multiplies before both sub-matrices are loaded (read after write)
    // TODO 2: add this tile's products to Csub
    __syncthreads();  // no thread loads over sub-matrices still in use (write after read)
  }
  int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;  // first element of the block's part of C
  // TODO 3: store Csub in C, and nothing beyond its edges
}
