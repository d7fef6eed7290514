// a warp a dot product, Kahan a lane, shuffles join both
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  int e = blockIdx.x;
  int row = e / N, col = e % N;
  float s = 0.f, c = 0.f;
  for (int k = threadIdx.x; k < K; k += 32) {
    float y = A[row * K + k] * B[k * N + col] - c;
    float t = s + y;
    c = (t - s) - y;
    s = t;
  }
  for (int o = 16; o > 0; o /= 2) {
    float s2 = __shfl_down_sync(0xffffffffu, s, o), c2 = __shfl_down_sync(0xffffffffu, c, o);
    float y = s2 - (c + c2);
    float t = s + y;
    c = (t - s) - y;
    s = t;
  }
  if (threadIdx.x == 0) C[row * N + col] = s;
}
