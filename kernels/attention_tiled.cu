// attention_tiled: a block computes a tile of O, one tile of keys and values at a time.
//
// The idea       The M×N scores are never in global memory: a tile of them is computed, used, and
//                overwritten. Softmax needs the largest score and the sum of a whole row, but only
//                a part of the row is known. So each thread keeps the largest score so far and the
//                sums so far. If a tile has a larger score, the thread first multiplies its sums
//                by exp(old largest - new largest).
// Changed since  attention_naive: the block shares keys, values, and also scores and weights. Since
//                tiled: two products in each phase, and sums that are scaled between them.
// Thread → data  thread (tx, ty) of block (bx, by) loads row ty of each tile, computes the score of
//                query ty and key tx, and adds up O[by·BLOCK_SIZE + ty][bx·BLOCK_SIZE + tx]
// Costs          D / BLOCK_SIZE blocks (rounded up) compute a score, not D threads. V is read
//                M / BLOCK_SIZE times (rounded up), Keys as often for each of these blocks.

// Q: M×D, row-major    Keys: N×D, row-major    V: N×D, row-major    O: M×D, row-major
template <int BLOCK_SIZE, int D>
__global__ void attention_tiled(const float* Q, const float* Keys, const float* V, float* O, int M,
                                int N) {
  constexpr float LOWEST = -3e38f;  // below every score
  __shared__ float Qs[BLOCK_SIZE][D];
  __shared__ float Ks[BLOCK_SIZE][D + 1];  // + 1: threads read a column, from different banks
  __shared__ float Vs[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Ss[BLOCK_SIZE][BLOCK_SIZE];  // scores
  __shared__ float Ps[BLOCK_SIZE][BLOCK_SIZE];  // weights
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * BLOCK_SIZE + ty;
  int col = blockIdx.x * BLOCK_SIZE + tx;
  for (int d = tx; d < D; d += BLOCK_SIZE) {
    Qs[ty][d] = row < M ? Q[row * D + d] : 0.0f;
  }
  float highest = LOWEST;
  float total = 0.0f;
  float acc = 0.0f;
  for (int t = 0; t < (N + BLOCK_SIZE - 1) / BLOCK_SIZE; ++t) {
    int key = t * BLOCK_SIZE + ty;
    for (int d = tx; d < D; d += BLOCK_SIZE) {
      Ks[ty][d] = key < N ? Keys[key * D + d] : 0.0f;
    }
    Vs[ty][tx] = key < N && col < D ? V[key * D + col] : 0.0f;
    __syncthreads();  // no thread multiplies before the tiles are loaded (read after write)
    float score = 0.0f;
    for (int d = 0; d < D; ++d) {
      score += Qs[ty][d] * Ks[tx][d];
    }
    Ss[ty][tx] = t * BLOCK_SIZE + tx < N ? score * rsqrtf(D) : LOWEST;
    __syncthreads();  // no thread reads a row of scores before it is complete (read after write)
    float before = highest;
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      highest = fmaxf(highest, Ss[ty][e]);
    }
    Ps[ty][tx] = __expf(Ss[ty][tx] - highest);
    __syncthreads();  // no thread reads a row of weights before it is complete (read after write)
    float shrink = __expf(before - highest);
    total *= shrink;
    acc *= shrink;
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      total += Ps[ty][e];
      acc += Ps[ty][e] * Vs[e][tx];
    }
    __syncthreads();  // no thread loads the next tiles over those still in use (write after read)
  }
  if (row < M && col < D) {
    O[row * D + col] = acc * __fdividef(1.0f, total);
  }
}
