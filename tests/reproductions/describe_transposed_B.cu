__global__ void product(const float* a, const float* b, float* out, int M, int K, int N) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= M || x >= N) return;
  float sum = 0.0f;
  for (int i = 0; i < K; ++i) sum += a[y * K + i] * b[x * K + i];
  out[y * N + x] = sum;
}
