// convolution_naive: one thread, one output pixel, everything straight from global memory.
//
// The idea       A filter of K×K weights lies on the image, with its corner at each output pixel.
//                The pixel is the sum of the K·K products below the filter. As in neural networks,
//                the filter is not flipped.
// Changed since  naive: a row and a column become a window of the image and the filter.
// Thread → data  thread (x, y) of the grid computes C[row = y][col = x]
// Costs          2·K·K global loads for each pixel of C: a pixel of A that K·K windows cover is
//                read K·K times, a weight M·N times.

// A: (M + K - 1)×(N + K - 1), row-major    B: K×K, row-major    C: M×N, row-major    any M, N, K
template <int K>
__global__ void convolution_naive(const float* A, const float* B, float* C, int M, int N) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int width = N + K - 1;  // of A
  if (row < M && col < N) {
    float acc = 0.0f;
    for (int i = 0; i < K; ++i) {
      for (int j = 0; j < K; ++j) {
        acc += A[(row + i) * width + col + j] * B[i * K + j];
      }
    }
    C[row * N + col] = acc;
  }
}
