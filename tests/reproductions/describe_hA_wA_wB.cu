__global__ void product(float* C, const float* A, const float* B, int hA, int wA, int wB) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= hA || x >= wB) return;
  float sum = 0.0f;
  for (int i = 0; i < wA; ++i) sum += A[y * wA + i] * B[i * wB + x];
  C[y * wB + x] = sum;
}
