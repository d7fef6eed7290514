// Parts of K, added up by atomics.
__global__ void split_k(const float* A, const float* B, float* C, int M, int N, int K, int split) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  int part = (K + split - 1) / split, begin = blockIdx.z * part, end = min(K, begin + part);
  if (row >= M || col >= N) return;
  float s = 0;
  for (int i = begin; i < end; ++i) s += A[row * K + i] * B[i * N + col];
  atomicAdd(&C[row * N + col], s);
}
void go(float* a, float* b, float* c, int M, int N, int K) {
  split_k<<<dim3((N + 15) / 16, (M + 15) / 16, 4), dim3(16, 16)>>>(a, b, c, M, N, K, 4);
}
