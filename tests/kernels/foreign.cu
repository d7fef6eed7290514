// Matrix products as they are written elsewhere, none of them looked at while the reader of machine
// code was written. Nsight Compute counted them (foreign_counters.json).

__global__ void block_tile_1d(int M, int N, int K, const float* A, const float* B, float* C) {
  const int BM = 64, BN = 64, BK = 8, TM = 8;
  const int cRow = blockIdx.y, cCol = blockIdx.x;
  const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
  __shared__ float As[64 * 8];
  __shared__ float Bs[8 * 64];
  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;
  const int innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK;
  const int innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN;
  float threadResults[8] = {0.0f};
  for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
    As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
    Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int dotIdx = 0; dotIdx < BK; ++dotIdx) {
      float tmpB = Bs[dotIdx * BN + threadCol];
      for (int resIdx = 0; resIdx < TM; ++resIdx)
        threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
    }
    __syncthreads();
  }
  for (int resIdx = 0; resIdx < TM; ++resIdx)
    C[(threadRow * TM + resIdx) * N + threadCol] = threadResults[resIdx];
}

__global__ void __launch_bounds__(256)
    block_tile_2d(int M, int N, int K, const float* A, const float* B, float* C) {
  const int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
  __shared__ float As[128 * 8];
  __shared__ float Bs[8 * 128];
  const int tc = threadIdx.x % (BN / TN), tr = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float acc[64] = {0.0f};
  float rm[8] = {0.0f}, rn[8] = {0.0f};
  for (int b = 0; b < K; b += BK) {
    for (int o = 0; o < BM; o += 32)
      As[(threadIdx.x / 8 + o) * BK + threadIdx.x % 8] =
          A[(threadIdx.x / 8 + o) * K + threadIdx.x % 8];
    for (int o = 0; o < BK; o += 2)
      Bs[(threadIdx.x / 128 + o) * BN + threadIdx.x % 128] =
          B[(threadIdx.x / 128 + o) * N + threadIdx.x % 128];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int d = 0; d < BK; ++d) {
      for (int i = 0; i < TM; ++i)
        rm[i] = As[(tr * TM + i) * BK + d];
      for (int i = 0; i < TN; ++i)
        rn[i] = Bs[d * BN + tc * TN + i];
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n)
          acc[m * TN + n] += rm[m] * rn[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; ++n)
      C[(tr * TM + m) * N + tc * TN + n] = acc[m * TN + n];
}

__global__ void vector_loads(int M, int N, int K, const float* A, const float* B, float* C) {
  const int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;
  __shared__ float As[8 * 64];
  __shared__ float Bs[8 * 64];
  const int tc = threadIdx.x % 16, tr = threadIdx.x / 16;
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float acc[16] = {0.0f};
  float rm[4], rn[4];
  const int ia = threadIdx.x / 2, ca = threadIdx.x % 2, ib = threadIdx.x / 16,
            cb = threadIdx.x % 16;
  for (int b = 0; b < K; b += BK) {
    if (threadIdx.x < 128) {
      float4 t = reinterpret_cast<const float4*>(&A[ia * K + ca * 4])[0];
      As[(ca * 4 + 0) * BM + ia] = t.x;
      As[(ca * 4 + 1) * BM + ia] = t.y;
      As[(ca * 4 + 2) * BM + ia] = t.z;
      As[(ca * 4 + 3) * BM + ia] = t.w;
    }
    if (ib < 8)
      reinterpret_cast<float4*>(&Bs[ib * BN + cb * 4])[0] =
          reinterpret_cast<const float4*>(&B[ib * N + cb * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int d = 0; d < BK; ++d) {
      for (int i = 0; i < TM; ++i)
        rm[i] = As[d * BM + tr * TM + i];
      for (int i = 0; i < TN; ++i)
        rn[i] = Bs[d * BN + tc * TN + i];
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n)
          acc[m * TN + n] += rm[m] * rn[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; ++m) {
    float4 t;
    t.x = acc[m * 4];
    t.y = acc[m * 4 + 1];
    t.z = acc[m * 4 + 2];
    t.w = acc[m * 4 + 3];
    reinterpret_cast<float4*>(&C[(tr * TM + m) * N + tc * TN])[0] = t;
  }
}

__global__ void row_per_warp(int M, int N, int K, const float* A, const float* B, float* C) {
  const int x = blockIdx.x * 32 + (threadIdx.x / 32);
  const int y = blockIdx.y * 32 + (threadIdx.x % 32);
  if (x < M && y < N) {
    float t = 0.0f;
    for (int i = 0; i < K; ++i)
      t += A[x * K + i] * B[i * N + y];
    C[x * N + y] = t;
  }
}

__global__ void shared_32(int M, int N, int K, const float* A, const float* B, float* C) {
  const int BS = 32;
  __shared__ float As[BS * BS];
  __shared__ float Bs[BS * BS];
  const int tc = threadIdx.x % BS, tr = threadIdx.x / BS;
  A += blockIdx.y * BS * K;
  B += blockIdx.x * BS;
  C += blockIdx.y * BS * N + blockIdx.x * BS;
  float t = 0.0f;
  for (int b = 0; b < K; b += BS) {
    As[tr * BS + tc] = A[tr * K + tc];
    Bs[tr * BS + tc] = B[tr * N + tc];
    __syncthreads();
    A += BS;
    B += BS * N;
    for (int d = 0; d < BS; ++d)
      t += As[tr * BS + d] * Bs[d * BS + tc];
    __syncthreads();
  }
  C[tr * N + tc] = t;
}

__global__ void padded_transposed(const float* a, const float* b, float* c, int M, int N, int K) {
  __shared__ float sa[16][16 + 1], sb[16][16 + 1];
  int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;
  float s = 0;
  for (int t = 0; t < (K + 16 - 1) / 16; t++) {
    sa[threadIdx.y][threadIdx.x] =
        (r < M && t * 16 + threadIdx.x < K) ? a[r * K + t * 16 + threadIdx.x] : 0.0f;
    sb[threadIdx.x][threadIdx.y] =
        (q < N && t * 16 + threadIdx.y < K) ? b[(t * 16 + threadIdx.y) * N + q] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
      s += sa[threadIdx.y][k] * sb[threadIdx.x][k];
    __syncthreads();
  }
  if (r < M && q < N)
    c[r * N + q] = s;
}

__global__ void four_sums(int M, int N, int K, const float* __restrict__ A,
                          const float* __restrict__ B, float* __restrict__ C) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N)
    return;
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int k = 0;
  for (; k + 3 < K; k += 4) {
    s0 = fmaf(A[row * K + k], B[k * N + col], s0);
    s1 = fmaf(A[row * K + k + 1], B[(k + 1) * N + col], s1);
    s2 = fmaf(A[row * K + k + 2], B[(k + 2) * N + col], s2);
    s3 = fmaf(A[row * K + k + 3], B[(k + 3) * N + col], s3);
  }
  for (; k < K; ++k)
    s0 = fmaf(A[row * K + k], B[k * N + col], s0);
  C[row * N + col] = (s0 + s1) + (s2 + s3);
}

__global__ void flat_index(const float* A, const float* B, float* C, int M, int N, int K) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < M * N) {
    int i = id / N, j = id % N;
    float s = 0;
    for (int k = 0; k < K; k++)
      s += A[i * K + k] * B[k * N + j];
    C[id] = s;
  }
}

__global__ void two_buffers(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[2][16][16], Bs[2][16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float ra = A[row * K + tx], rb = B[ty * N + col], acc = 0;
  int cur = 0;
  As[0][ty][tx] = ra;
  Bs[0][ty][tx] = rb;
  __syncthreads();
  for (int t = 1; t <= K / 16; t++) {
    if (t < K / 16) {
      ra = A[row * K + t * 16 + tx];
      rb = B[(t * 16 + ty) * N + col];
    }
    for (int k = 0; k < 16; k++)
      acc += As[cur][ty][k] * Bs[cur][k][tx];
    if (t < K / 16) {
      As[1 - cur][ty][tx] = ra;
      Bs[1 - cur][ty][tx] = rb;
    }
    __syncthreads();
    cur = 1 - cur;
  }
  C[row * N + col] = acc;
}

extern __shared__ float sm[];
__global__ void dynamic_tiles(const float* A, const float* B, float* C, int M, int N, int K) {
  int T = blockDim.x;
  float *sa = sm, *sb = sm + T * T;
  int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
  float s = 0;
  for (int t = 0; t < K; t += T) {
    sa[threadIdx.y * T + threadIdx.x] = A[r * K + t + threadIdx.x];
    sb[threadIdx.y * T + threadIdx.x] = B[(t + threadIdx.y) * N + c];
    __syncthreads();
    for (int k = 0; k < T; k++)
      s += sa[threadIdx.y * T + k] * sb[k * T + threadIdx.x];
    __syncthreads();
  }
  C[r * N + c] = s;
}

__global__ void alpha_beta(const float* A, const float* B, float* C, int M, int N, int K,
                           float alpha, float beta) {
  int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  if (i < M && j < N) {
    float s = 0;
    for (int k = 0; k < K; k++)
      s += A[i * K + k] * B[k * N + j];
    C[i * N + j] = alpha * s + beta * C[i * N + j];
  }
}
