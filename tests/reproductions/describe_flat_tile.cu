// One-dimensional blocks compute two-dimensional tiles; the launch computes its grid.
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
template <int BM, int BN, int BK, int TM>
__global__ void column(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
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
  for (int r = 0; r < TM; ++r) {
    float* c = &C[(row * TM + r) * N + col];
    *c = alpha * sums[r] + beta * *c;
  }
}
void run(int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  const int BM = 32, BN = 32;
  const int BK = 4;
  const int TM = 8;
  dim3 grid(CEIL_DIV(N, BN), CEIL_DIV(M, BM));
  dim3 block((BM * BN) / TM /* threads */);
  column<BM, BN, BK, TM><<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
