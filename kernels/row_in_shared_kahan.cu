// row_in_shared_kahan: a block computes one row of C and keeps the row of A in shared memory.
//
// The idea       All elements of a row of C need the same row of A. One block computes the row: its
//                threads load the row of A into shared memory once, then share it.
// Changed since  naive_1d_kahan: one block per row, row_of_A in dynamic shared memory, a barrier.
// Thread → data  thread x of block b loads A[b][x], A[b][x + blockDim.x] and so on, and computes
//                C[b][x], C[b][x + blockDim.x] and so on
// Costs          each element of A is read once, each of B M times: M·K + M·N·K global loads where
//                naive has 2·M·N·K; 4·K bytes of shared memory, given at the launch

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    a row of A fits in shared memory
__global__ void matmul_row_in_shared_kahan(const float* A, const float* B, float* C, int N, int K) {
  extern __shared__ float row_of_A[];  // K elements
  const int tid = threadIdx.x;
  const int row = blockIdx.x;
  for (int i = tid; i < K; i += blockDim.x) {
    row_of_A[i] = A[row * K + i];
  }
  __syncthreads();  // no thread multiplies before the whole row is loaded (read after write)
  for (int j = tid; j < N; j += blockDim.x) {
    float t = 0.0f;
    float y = 0.0f;
    for (int i = 0; i < K; ++i) {
      y -= row_of_A[i] * B[i * N + j];
      float r = t - y;
      y = (r - t) + y;
      t = r;
    }
    C[row * N + j] = t;
  }
}
