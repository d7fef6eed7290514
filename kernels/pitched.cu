// pitched: row_in_shared_kahan on matrices whose rows start at well-aligned addresses.
//
// The idea       A warp's 32 loads from B are one contiguous piece of a row. They need the fewest
//                sectors when the row starts at a multiple of 128 bytes. cudaMallocPitch allocates
//                rows so, with padding at their ends; lda, ldb and ldc are the elements from one
//                row to the next.
// Changed since  row_in_shared_kahan: row·lda, i·ldb and row·ldc where row·K, i·N and row·N stood.
// Thread → data  as in row_in_shared_kahan
// Costs          as many loads as row_in_shared_kahan; fewer sectors where N is no multiple of 8

// A: M×K, lda elements a row    B: K×N, ldb elements a row    C: M×N, ldc elements a row
__global__ void matmul_pitched(const float* A, size_t lda, const float* B, size_t ldb, float* C,
                               size_t ldc, int N, int K) {
  extern __shared__ float row_of_A[];  // K elements
  const int tid = threadIdx.x;
  const int row = blockIdx.x;
  for (int i = tid; i < K; i += blockDim.x) {
    row_of_A[i] = A[row * lda + i];
  }
  __syncthreads();  // nobody multiplies before the whole row is there (read after write)
  for (int j = tid; j < N; j += blockDim.x) {
    float t = 0.0f;
    float y = 0.0f;
    for (int i = 0; i < K; ++i) {
      y -= row_of_A[i] * B[i * ldb + j];
      float r = t - y;
      y = (r - t) + y;
      t = r;
    }
    C[row * ldc + j] = t;
  }
}
