// By columns, as BLAS has it: A[i + l * lda].
__global__ void sgemm(int m, int n, int k, float alpha, const float* A, int lda, const float* B, int ldb,
                      float beta, float* C, int ldc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  float sum = 0.0f;
  for (int l = 0; l < k; ++l) sum += A[i + l * lda] * B[l + j * ldb];
  C[i + j * ldc] = alpha * sum + beta * C[i + j * ldc];
}
