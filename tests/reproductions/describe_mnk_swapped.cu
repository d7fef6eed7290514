// A is m×n, B is n×k: the names are not the textbook's.
__global__ void product(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < k) {
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) sum += A[row * n + i] * B[i * k + col];
    C[row * k + col] = sum;
  }
}
