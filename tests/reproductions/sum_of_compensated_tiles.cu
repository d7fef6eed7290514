#define BLOCK_SIZE 4
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE], Bs[BLOCK_SIZE][BLOCK_SIZE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * BLOCK_SIZE + ty, col = blockIdx.x * BLOCK_SIZE + tx;
  float sum = 0.f, c = 0.f;
  for (int t0 = 0; t0 < K; t0 += BLOCK_SIZE) {
    As[ty][tx] = row < M && t0 + tx < K ? A[row * K + t0 + tx] : 0.f;
    Bs[ty][tx] = col < N && t0 + ty < K ? B[(t0 + ty) * N + col] : 0.f;
    __syncthreads();
    float part = 0.f;
    for (int k = 0; k < BLOCK_SIZE; ++k) part += As[ty][k] * Bs[k][tx];
    float y = part - c;
    float t = sum + y;
    c = (t - sum) - y;
    sum = t;
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
