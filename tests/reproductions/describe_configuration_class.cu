// struct config, template args, launched by a config type
struct Config { static constexpr int BM = 32, BN = 32, BK = 8, TM = 4, TN = 4; };
template <class Cfg>
__global__ void tiled(const float* X, const float* Y, float* Z, int rows, int cols, int inner) {
  __shared__ float xs[Cfg::BM][Cfg::BK];
  __shared__ float ys[Cfg::BK][Cfg::BN];
  constexpr int nt = Cfg::BM / Cfg::TM * (Cfg::BN / Cfg::TN);
  int tid = threadIdx.x;
  int tr = tid / (Cfg::BN / Cfg::TN) * Cfg::TM, tc = tid % (Cfg::BN / Cfg::TN) * Cfg::TN;
  float acc[Cfg::TM][Cfg::TN] = {};
  for (int k0 = 0; k0 < inner; k0 += Cfg::BK) {
    for (int e = tid; e < Cfg::BM * Cfg::BK; e += nt) {
      int r = blockIdx.y * Cfg::BM + e / Cfg::BK, c = k0 + e % Cfg::BK;
      xs[e / Cfg::BK][e % Cfg::BK] = r < rows && c < inner ? X[r * inner + c] : 0.f;
    }
    for (int e = tid; e < Cfg::BK * Cfg::BN; e += nt) {
      int r = k0 + e / Cfg::BN, c = blockIdx.x * Cfg::BN + e % Cfg::BN;
      ys[e / Cfg::BN][e % Cfg::BN] = r < inner && c < cols ? Y[r * cols + c] : 0.f;
    }
    __syncthreads();
    for (int k = 0; k < Cfg::BK; ++k)
      for (int i = 0; i < Cfg::TM; ++i)
        for (int j = 0; j < Cfg::TN; ++j) acc[i][j] += xs[tr + i][k] * ys[k][tc + j];
    __syncthreads();
  }
  for (int i = 0; i < Cfg::TM; ++i)
    for (int j = 0; j < Cfg::TN; ++j) {
      int r = blockIdx.y * Cfg::BM + tr + i, c = blockIdx.x * Cfg::BN + tc + j;
      if (r < rows && c < cols) Z[r * cols + c] = acc[i][j];
    }
}
template __global__ void tiled<Config>(const float*, const float*, float*, int, int, int);
void go(float* x, float* y, float* z, int r, int c, int k) {
  dim3 grid((c + Config::BN - 1) / Config::BN, (r + Config::BM - 1) / Config::BM);
  tiled<Config><<<grid, 64>>>(x, y, z, r, c, k);
}
