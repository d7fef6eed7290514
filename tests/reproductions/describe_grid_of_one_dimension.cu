// Tiles are numbered along x; the text has no launch.
#define BM 32
#define BN 32
#define BK 8
__global__ void gemm_1dgrid(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float as[BM][BK], bs[BK][BN];
  int tiles_n = (N + BN - 1) / BN;
  int bm = blockIdx.x / tiles_n, bn = blockIdx.x % tiles_n;
  int t = threadIdx.x;
  float acc[4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    int r = t / BK, c = t % BK;
    as[r][c] = (bm * BM + r < M && k0 + c < K) ? A[(bm * BM + r) * K + k0 + c] : 0.f;
    r = t / BN; c = t % BN;
    bs[r][c] = (k0 + r < K && bn * BN + c < N) ? B[(k0 + r) * N + bn * BN + c] : 0.f;
    __syncthreads();
    for (int k = 0; k < BK; ++k)
      for (int i = 0; i < 4; ++i) acc[i] += as[(t / 32) * 4 + i][k] * bs[k][t % 32];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    int r = bm * BM + (t / 32) * 4 + i, c = bn * BN + t % 32;
    if (r < M && c < N) C[r * N + c] = acc[i];
  }
}
