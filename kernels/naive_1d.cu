// naive_1d: the naive kernel with one-dimensional blocks.
//
// The idea       All elements of C are numbered row by row; thread number idx of the grid computes
//                element number idx.
// Changed since  naive: one index; its quotient by N is the row, its remainder the column.
// Thread → data  thread x of block b computes element idx = b·blockDim.x + x of C, that is
//                C[idx / N][idx % N]
// Costs          2·K global loads for each element of C, as naive

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
__global__ void matmul_naive_1d(const float* A, const float* B, float* C, int M, int N, int K) {
  const int tid = threadIdx.x;
  const int bid = blockIdx.x;
  const int idx = bid * blockDim.x + tid;
  const int row = idx / N;
  const int col = idx % N;
  if (row < M && col < N) {
    float t = 0.0f;
    for (int i = 0; i < K; ++i) {
      t += A[row * K + i] * B[i * N + col];
    }
    C[row * N + col] = t;
  }
}
