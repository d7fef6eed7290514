#define BLOCK_SIZE 4
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float sums[BLOCK_SIZE][BLOCK_SIZE], comp[BLOCK_SIZE][BLOCK_SIZE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * BLOCK_SIZE + ty, col = blockIdx.x * BLOCK_SIZE + tx;
  sums[ty][tx] = 0.f; comp[ty][tx] = 0.f;
  for (int k = 0; k < K; ++k) {
    float x = row < M && col < N ? A[row * K + k] * B[k * N + col] : 0.f;
    float y = x - comp[ty][tx];
    float t = sums[ty][tx] + y;
    comp[ty][tx] = (t - sums[ty][tx]) - y;
    sums[ty][tx] = t;
  }
  if (row < M && col < N) C[row * N + col] = sums[ty][tx];
}
