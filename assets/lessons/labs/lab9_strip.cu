// Lab 9: whole strips of A and B in shared memory, as a text prints them.
//
// C = A·B with one barrier per block. The kernel is correct where BLOCK_SIZE divides K. Fix it for
// every K, with no more shared memory than that needs.
//
// Thread (x, y) of block (X, Y) computes C[Y·BLOCK_SIZE + y][X·BLOCK_SIZE + x].

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major
template <int BLOCK_SIZE, int K_>  // K_ is K: the strips' columns
__global__ void lab9_strip(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float A_shared[BLOCK_SIZE][K_];
  __shared__ float B_shared[K_][BLOCK_SIZE];

  int m = blockIdx.y * blockDim.y + threadIdx.y;
  int n = blockIdx.x * blockDim.x + threadIdx.x;

  // TODO 1: where BLOCK_SIZE does not divide K, the last round reaches past the strips.
  for (int s = 0; s < K_; s += blockDim.x) {
    int k_idx = threadIdx.x + s;
    if (m < M && k_idx < K) {
      A_shared[threadIdx.y][k_idx] = A[m * K + k_idx];
    } else {
      A_shared[threadIdx.y][k_idx] = 0.0f;
    }

    int k_row = threadIdx.y + s;
    if (k_row < K && n < N) {
      B_shared[k_row][threadIdx.x] = B[k_row * N + n];
    } else {
      B_shared[k_row][threadIdx.x] = 0.0f;
    }
  }
  __syncthreads();  // no thread multiplies before both strips are loaded

  if (m < M && n < N) {
    float temp = 0.0f;
    for (int k = 0; k < K; ++k) {
      temp += A_shared[threadIdx.y][k] * B_shared[k][threadIdx.x];
    }
    C[m * N + n] = temp;
  }
}
