// Tiles are constants of the body, and the launch goes through a pointer to the kernel.
#define OFFSET(row, col, ld) ((row) * (ld) + (col))
__global__ void gemm_v1(float *__restrict__ a, float *__restrict__ b, float *__restrict__ c, const int M, const int N,
                        const int K) {
  const int BM = 64;
  const int BN = 64;
  const int BK = 8;
  const int TM = 4;
  const int TN = 4;
  const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int tid = ty * blockDim.x + tx;
  __shared__ float s_a[BM][BK];
  __shared__ float s_b[BK][BN];
  float r_c[TM][TN] = {0.0};
  for (int bk = 0; bk < (K + BK - 1) / BK; bk++) {
    for (int i = tid; i < BM * BK; i += 256) s_a[i / BK][i % BK] = a[OFFSET(by * BM + i / BK, bk * BK + i % BK, K)];
    for (int i = tid; i < BK * BN; i += 256) s_b[i / BN][i % BN] = b[OFFSET(bk * BK + i / BN, bx * BN + i % BN, N)];
    __syncthreads();
    for (int k = 0; k < BK; k++)
      for (int m = 0; m < TM; m++)
        for (int n = 0; n < TN; n++) r_c[m][n] += s_a[ty * TM + m][k] * s_b[k][tx * TN + n];
    __syncthreads();
  }
  for (int i = 0; i < TM; i++)
    for (int j = 0; j < TN; j++) c[OFFSET(by * BM + ty * TM + i, bx * BN + tx * TN + j, N)] = r_c[i][j];
}
float test(void (*gemm)(float *, float *, float *, const int, const int, const int), dim3 gridDim, dim3 blockDim, int M,
           int N, int K) {
  float *d_a, *d_b, *d_c;
  gemm<<<gridDim, blockDim>>>(d_a, d_b, d_c, M, N, K);
  return 0;
}
int main() {
  const int BM = 64, BN = 64, TM = 4, TN = 4;
  void (*gemm)(float *, float *, float *, const int, const int, const int) = gemm_v1;
  const int M = 512, N = 512, K = 512;
  dim3 blockDim(BN / TN, BM / TM);
  dim3 gridDim((N + BN - 1) / BN, (M + BM - 1) / BM);
  test(gemm, gridDim, blockDim, M, N, K);
}
