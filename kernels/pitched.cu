// pitched: row_in_shared_kahan on matrices whose rows start at well-aligned addresses.
//
// The idea       A warp's 32 loads from B are one contiguous piece of a row. They need the fewest
//                sectors when the row starts at a multiple of 128 bytes. cudaMallocPitch allocates
//                such rows, with padding at the end; lda, ldb and ldc are the elements from one
//                row to the next.
// Changed since  row_in_shared_kahan: row·lda, i·ldb, row·ldc instead of row·K, i·N, row·N.
// Thread → data  as in row_in_shared_kahan
// Costs          as many loads as row_in_shared_kahan; fewer sectors where N is not a multiple of 8

// A: M×K, lda elements per row    B: K×N, ldb elements per row    C: M×N, ldc elements per row
__global__ void matmul_pitched(const float* A, size_t lda, const float* B, size_t ldb, float* C,
                               size_t ldc, int N, int K) {
  extern __shared__ float row_of_A[];  // K elements
  const int tid = threadIdx.x;
  const int row = blockIdx.x;
  for (int i = tid; i < K; i += blockDim.x) {
    row_of_A[i] = A[row * lda + i];
  }
  __syncthreads();  // no thread multiplies before the whole row is loaded (read after write)
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
