// tiled_kahan_bounds: tiles for speed, Kahan's summation for accuracy, bounds for any size.
//
// The idea       Blocking cuts the loads from global memory, the compensated sum cuts the error,
//                and comparisons with M, N and K put zeros where a tile extends past an edge.
// Changed since  pitched: a tile of A and one of B instead of a whole row; two-dimensional blocks.
// Thread → data  thread (tx, ty) of block (bx, by) loads As[ty][tx] and Bs[ty][tx] in each phase
//                and computes C[by·BLOCK_SIZE + ty][bx·BLOCK_SIZE + tx]
// Costs          2·K / BLOCK_SIZE global loads for each element of C, as tiled; 4 additions for
//                each product

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void matmul_tiled_kahan_bounds(const float* A, const float* B, float* C, int M, int N,
                                          int K) {
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
  const int tidc = threadIdx.x;
  const int tidr = threadIdx.y;
  const int bidc = blockIdx.x * BLOCK_SIZE;
  const int bidr = blockIdx.y * BLOCK_SIZE;
  float results = 0.0f;
  float comp = 0.0f;  // minus the next product; then minus what the addition has lost
  for (int j = 0; j < K; j += BLOCK_SIZE) {
    if (tidr + bidr < M && tidc + j < K) {
      As[tidr][tidc] = A[(tidr + bidr) * K + tidc + j];
    } else {
      As[tidr][tidc] = 0.0f;
    }
    if (tidr + j < K && tidc + bidc < N) {
      Bs[tidr][tidc] = B[(tidr + j) * N + tidc + bidc];
    } else {
      Bs[tidr][tidc] = 0.0f;
    }
    __syncthreads();  // no thread multiplies before the whole tile is loaded (read after write)
    for (int i = 0; i < BLOCK_SIZE; ++i) {
      comp -= As[tidr][i] * Bs[i][tidc];
      float t = results - comp;
      comp = (t - results) + comp;
      results = t;
    }
    __syncthreads();  // no thread loads the next tile over one still in use (write after read)
  }
  if (tidr + bidr < M && tidc + bidc < N) {
    C[(tidr + bidr) * N + tidc + bidc] = results;
  }
}
