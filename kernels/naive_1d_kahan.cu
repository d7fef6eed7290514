// naive_1d_kahan: naive_1d with Kahan's compensated summation.
//
// The idea       The more a float sum has grown, the more low bits of the next product it drops.
//                Kahan's formula keeps what was dropped in y and adds it back with the next
//                product, so the error no longer grows with K.
// Changed since  naive_1d: y, and three operations more for each product.
// Thread → data  thread x of block b computes element idx = b·blockDim.x + x of C
// Costs          2·K global loads for each element of C, as naive_1d; 4 additions for each product

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
__global__ void matmul_naive_1d_kahan(const float* A, const float* B, float* C, int M, int N,
                                      int K) {
  const int tid = threadIdx.x;
  const int bid = blockIdx.x;
  const int idx = bid * blockDim.x + tid;
  const int row = idx / N;
  const int col = idx % N;
  if (row < M && col < N) {
    float t = 0.0f;
    float y = 0.0f;  // minus the next product; then minus what the addition has lost
    for (int i = 0; i < K; ++i) {
      y -= A[row * K + i] * B[i * N + col];
      float r = t - y;
      y = (r - t) + y;
      t = r;
    }
    C[row * N + col] = t;
  }
}
