// A template launches it, with sizes that its caller gives.
template <int BM_, int BN_, int BK_, int TM_>
__global__ void k_tile(const float* __restrict__ pA, const float* __restrict__ pB, float* __restrict__ pC, unsigned m, unsigned n, unsigned k) {
  __shared__ float As[BM_ * BK_], Bs[BK_ * BN_];
  const unsigned col = threadIdx.x % BN_, row = threadIdx.x / BN_;
  pA += blockIdx.y * BM_ * k;
  pB += blockIdx.x * BN_;
  pC += blockIdx.y * BM_ * n + blockIdx.x * BN_;
  float sums[TM_] = {};
  for (unsigned s = 0; s < k; s += BK_, pA += BK_, pB += BK_ * n) {
    As[threadIdx.x] = pA[threadIdx.x / BK_ * k + threadIdx.x % BK_];
    Bs[threadIdx.x] = pB[threadIdx.x / BN_ * n + threadIdx.x % BN_];
    __syncthreads();
    for (int i = 0; i < BK_; ++i)
      for (int r = 0; r < TM_; ++r) sums[r] += As[(row * TM_ + r) * BK_ + i] * Bs[i * BN_ + col];
    __syncthreads();
  }
  for (int r = 0; r < TM_; ++r) pC[(row * TM_ + r) * n + col] = sums[r];
}
template <int BM, int BN, int BK, int TM>
void launch(const float* a, const float* b, float* c, unsigned m, unsigned n, unsigned k, cudaStream_t s = nullptr) {
  constexpr int kThreads = BM * BN / TM;
  dim3 grid{n / BN, m / BM, 1};
  k_tile<BM, BN, BK, TM><<<grid, kThreads, 0, s>>>(a, b, c, m, n, k);
}
int main() {
  launch<64, 64, 8, 8>(nullptr, nullptr, nullptr, 256u, 256u, 256u);
}
