// Strided batches: ten integers.
__global__ void batched(int m, int n, int k, float alpha, const float* A, int lda, long long strideA, const float* B, int ldb,
                        long long strideB, float beta, float* C, int ldc, long long strideC, int batches) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, b = blockIdx.z;
  if (i >= m || j >= n || b >= batches) return;
  A += b * strideA;
  B += b * strideB;
  C += b * strideC;
  float acc = 0.f;
  for (int l = 0; l < k; ++l) acc += A[i * lda + l] * B[l * ldb + j];
  C[i * ldc + j] = alpha * acc + beta * C[i * ldc + j];
}
void go(int m, int n, int k, int batches, const float* A, const float* B, float* C) {
  dim3 threads(16, 16);
  dim3 blocks((n + 15) / 16, (m + 15) / 16, batches);
  batched<<<blocks, threads>>>(m, n, k, 1.f, A, k, (long long)m * k, B, n, (long long)k * n, 0.f, C, n, (long long)m * n, batches);
}
