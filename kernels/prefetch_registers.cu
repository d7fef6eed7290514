// prefetch_registers: the next tile is loaded into registers while the current one is multiplied.
//
// The idea       A load from global memory takes hundreds of cycles. Started before the products of
//                the current tile, it is there when they are done. The value waits in registers; it
//                may be stored to As and Bs only when everybody has finished with the current tile.
// Changed since  warp_tile: load() for tile t + 1 comes before the products of tile t.
// Thread → data  lanes of a warp lie as LM×LN over a tile of C of WM×WN = LM·TM × LN·TN elements; a
//                lane has groups of four rows, 4·LM apart, and of four columns, 4·LN apart
// Costs          loads as warp_tile; BM·BK / THREADS + BK·BN / THREADS registers more a thread

// Four floats of a row, from column `col` on; 0 outside the matrix. WHOLE: all four are inside, and
// rows start at multiples of 16 bytes.
template <bool WHOLE>
__device__ float4 load4(const float* matrix, int rows, int cols, int row, int col) {
  if constexpr (WHOLE) {
    return *reinterpret_cast<const float4*>(&matrix[row * cols + col]);
  } else {
    float four[4] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (row < rows && col + i < cols) {
        four[i] = matrix[row * cols + col + i];
      }
    }
    return make_float4(four[0], four[1], four[2], four[3]);
  }
}

// Stores four floats of a row of C, from column `col` on; nothing outside.
template <bool WHOLE>
__device__ void store4(float* C, int M, int N, int row, int col, const float* four) {
  if constexpr (WHOLE) {
    *reinterpret_cast<float4*>(&C[row * N + col]) = make_float4(four[0], four[1], four[2], four[3]);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (row < M && col + i < N) {
        C[row * N + col + i] = four[i];
      }
    }
  }
}

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
// WHOLE: the tiles fit (M % BM == 0, N % BN == 0, K % BK == 0), so nothing is guarded
template <int BM, int BN, int BK, int TM, int TN, int LM, int LN, bool WHOLE>
__global__ void __launch_bounds__(BM / TM * (BN / TN))
    matmul_prefetch_registers(const float* A, const float* B, float* C, int M, int N, int K) {
  static_assert(BK % 4 == 0 && TM % 4 == 0 && TN % 4 == 0, "four floats at a time");
  constexpr int THREADS = BM / TM * (BN / TN);
  constexpr int WM = LM * TM;  // the warp's part of C is WM×WN
  constexpr int WN = LN * TN;
  constexpr int A_LOADS = BM * BK / 4 / THREADS;
  constexpr int B_LOADS = BK * BN / 4 / THREADS;
  __shared__ alignas(16) float As[BK][BM + 4];  // As[k][row]: turned
  __shared__ alignas(16) float Bs[BK][BN];
  int thread = threadIdx.x;
  int first_row = blockIdx.y * BM;
  int first_col = blockIdx.x * BN;
  int lane = thread % (LM * LN);
  int warp = thread / (LM * LN);
  int lane_row = lane / 2 % LM;  // z-order: 0 1 / 2 3, then the same below, then to the right
  int lane_col = lane % 2 + lane / (2 * LM) * 2;
  int row = warp / (BN / WN) * WM + 4 * lane_row;  // the thread's first in the block's tile
  int col = warp % (BN / WN) * WN + 4 * lane_col;
  float acc[TM][TN] = {};
  float4 a_next[A_LOADS];
  float4 b_next[B_LOADS];
  auto load = [&](int k0) {  // the thread's part of the tiles from k0 on
#pragma unroll
    for (int i = 0; i < A_LOADS; ++i) {
      int n = thread + i * THREADS;
      a_next[i] = load4<WHOLE>(A, M, K, first_row + n / (BK / 4), k0 + n % (BK / 4) * 4);
    }
#pragma unroll
    for (int i = 0; i < B_LOADS; ++i) {
      int n = thread + i * THREADS;
      b_next[i] = load4<WHOLE>(B, K, N, k0 + n / (BN / 4), first_col + n % (BN / 4) * 4);
    }
  };
  load(0);
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int i = 0; i < A_LOADS; ++i) {
      int n = thread + i * THREADS;
      int k = n % (BK / 4) * 4;
      As[k + 0][n / (BK / 4)] = a_next[i].x;
      As[k + 1][n / (BK / 4)] = a_next[i].y;
      As[k + 2][n / (BK / 4)] = a_next[i].z;
      As[k + 3][n / (BK / 4)] = a_next[i].w;
    }
#pragma unroll
    for (int i = 0; i < B_LOADS; ++i) {
      int n = thread + i * THREADS;
      *reinterpret_cast<float4*>(&Bs[n / (BN / 4)][n % (BN / 4) * 4]) = b_next[i];
    }
    __syncthreads();  // nobody multiplies before both tiles are there (read after write)
    if (k0 + BK < K) {
      load(k0 + BK);  // on its way while this tile is multiplied
    }
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4) {
        *reinterpret_cast<float4*>(&a[i]) = *reinterpret_cast<const float4*>(&As[k][row + i * LM]);
      }
#pragma unroll
      for (int j = 0; j < TN; j += 4) {
        *reinterpret_cast<float4*>(&b[j]) = *reinterpret_cast<const float4*>(&Bs[k][col + j * LN]);
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          acc[i][j] += a[i] * b[j];
        }
      }
    }
    __syncthreads();  // nobody stores the next tiles over those still in use (write after read)
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      store4<WHOLE>(C, M, N, first_row + row + i / 4 * 4 * LM + i % 4, first_col + col + j * LN,
                    &acc[i][j]);
    }
  }
}
