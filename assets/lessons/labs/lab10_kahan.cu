// Lab 10: Kahan's compensated sum.
//
// One thread, one element of C: correct, but float drops the low bits of each product once the sum
// has grown. Keep what an addition loses in y, and add it back with the next product.
//
// Thread x of block b computes element idx = b·blockDim.x + x of C.

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major
__global__ void lab10_kahan(const float* A, const float* B, float* C, int M, int N, int K) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = idx / N;
  const int col = idx % N;
  if (row < M && col < N) {
    float t = 0.0f;
    float y = 0.0f;  // minus the next product; then minus what the addition has lost
    for (int i = 0; i < K; ++i) {
      // TODO 1: subtract the product from y
      y = -(A[row * K + i] * B[i * N + col]);
      // TODO 2: r is the new sum
      float r = t - y;
      // TODO 3: what has the new sum lost? Keep it in y
      t = r;
    }
    C[row * N + col] = t;
  }
}
