// The tile is an argument, and dynamic shared memory is the launch's.
extern __shared__ float tiles[];
__global__ void dyn(const float* A, const float* B, float* C, int M, int N, int K, int tile) {
  float* as = tiles;
  float* bs = tiles + tile * tile;
  int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  float s = 0.f;
  for (int t = 0; t < K; t += tile) {
    as[threadIdx.y * tile + threadIdx.x] = row < M && t + threadIdx.x < K ? A[row * K + t + threadIdx.x] : 0.f;
    bs[threadIdx.y * tile + threadIdx.x] = col < N && t + threadIdx.y < K ? B[(t + threadIdx.y) * N + col] : 0.f;
    __syncthreads();
    for (int i = 0; i < tile; ++i) s += as[threadIdx.y * tile + i] * bs[i * tile + threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = s;
}
void go(const float* a, const float* b, float* c, int M, int N, int K) {
  const int T = 16;
  dim3 block(T, T);
  dim3 grid((N + T - 1) / T, (M + T - 1) / T);
  size_t bytes = 2 * T * T * sizeof(float);
  dyn<<<grid, block, bytes>>>(a, b, c, M, N, K, T);
}
