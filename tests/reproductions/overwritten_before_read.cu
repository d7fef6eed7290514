// Both tiles are stored to As: A's is lost before any thread reads it.
#define BLOCK_SIZE 8
__global__ void product(const float* A, const float* B, float* C, int n) {
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
  int row = blockIdx.y * BLOCK_SIZE + threadIdx.y, col = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  Bs[threadIdx.y][threadIdx.x] = 1.0f;
  float sum = 0.0f;
  for (int k = 0; k < n; k += BLOCK_SIZE) {
    As[threadIdx.y][threadIdx.x] = A[row * n + k + threadIdx.x];
    As[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < BLOCK_SIZE; ++i) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
    __syncthreads();
  }
  C[row * n + col] = sum;
}
