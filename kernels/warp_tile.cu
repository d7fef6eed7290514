// warp_tile: the lanes of a warp cover a compact tile of C, and loads of a tile have no conflicts.
//
// The idea       A warp that is a row or two of threads reads many different float4s of Bs at once.
//                With its lanes as LM×LN it needs few, and lanes that need the same one share the
//                read. A thread's 8 rows are two groups of four, as far apart as the lanes reach,
//                so that neighbours read neighbouring float4s; likewise its columns.
// Changed since  register_tile_8x8: lanes as LM×LN in z-order; groups of four rows and columns; a
//                row of As has 4 floats more, so storing the transposed tile conflicts less.
// Thread → data  warp w has the tile of C at row w / (BN / WN)·WM, column w % (BN / WN)·WN of the
//                block's, WM×WN = LM·TM × LN·TN; its lane at (lane_row, lane_col) has the rows
//                4·lane_row + 0 to 3 and the same 4·LM further, columns likewise
// Costs          as register_tile_8x8, without its conflicts when As and Bs are read

// Four floats of a row of a matrix, from column `col` on; zeros outside.
template <int WIDTH>
__device__ float4 load4(const float* matrix, int rows, int cols, int row, int col) {
  float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const float* from = &matrix[row * cols + col];
  if constexpr (WIDTH == 4) {
    if (row < rows && col < cols) {
      four = *reinterpret_cast<const float4*>(from);
    }
  } else {
    four.x = row < rows && col + 0 < cols ? from[0] : 0.0f;
    four.y = row < rows && col + 1 < cols ? from[1] : 0.0f;
    four.z = row < rows && col + 2 < cols ? from[2] : 0.0f;
    four.w = row < rows && col + 3 < cols ? from[3] : 0.0f;
  }
  return four;
}

// Stores those of four floats of a row of C, from column `col` on, that are inside.
template <int WIDTH>
__device__ void store4(float* C, int M, int N, int row, int col, const float* four) {
  if constexpr (WIDTH == 4) {
    if (row < M && col < N) {
      *reinterpret_cast<float4*>(&C[row * N + col]) =
          make_float4(four[0], four[1], four[2], four[3]);
    }
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
// WIDTH: floats that a thread moves at once; 4 if N and K are multiples of 4 (rows start at 16
// bytes), or 1
template <int BM, int BN, int BK, int TM, int TN, int LM, int LN, int WIDTH>
__global__ void __launch_bounds__(BM / TM * (BN / TN))
    matmul_warp_tile(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int THREADS = BM / TM * (BN / TN);
  constexpr int WM = LM * TM;  // the warp's part of C is WM×WN
  constexpr int WN = LN * TN;
  constexpr int A_LOADS = BM * BK / 4 / THREADS;  // float4s of each tile that a thread loads
  constexpr int B_LOADS = BK * BN / 4 / THREADS;
  static_assert(BK % 4 == 0 && TM % 4 == 0 && TN % 4 == 0, "four floats at a time");
  static_assert(A_LOADS * 4 * THREADS == BM * BK && B_LOADS * 4 * THREADS == BK * BN,
                "every thread brings the same number");
  __shared__ alignas(16) float As[BK][BM + 4];  // As[k][row]: transposed
  __shared__ alignas(16) float Bs[BK][BN];
  int thread = threadIdx.x;
  int first_row = blockIdx.y * BM;
  int first_col = blockIdx.x * BN;
  int lane = thread % (LM * LN);
  int warp = thread / (LM * LN);
  int lane_row = lane / 2 % LM;  // z-order: 0 1 / 2 3, then the same below, then to the right
  int lane_col = lane % 2 + lane / (2 * LM) * 2;
  int row = warp / (BN / WN) * WM + 4 * lane_row;  // the thread's first row in the block's tile
  int col = warp % (BN / WN) * WN + 4 * lane_col;
  float acc[TM][TN] = {};
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += BK) {
    float4 a_next[A_LOADS];  // the thread's part of the next tiles, for As and Bs
    float4 b_next[B_LOADS];
#pragma unroll
    for (int i = 0; i < A_LOADS; ++i) {
      int n = thread + i * THREADS;
      a_next[i] = load4<WIDTH>(A, M, K, first_row + n / (BK / 4), k0 + n % (BK / 4) * 4);
    }
#pragma unroll
    for (int i = 0; i < B_LOADS; ++i) {
      int n = thread + i * THREADS;
      b_next[i] = load4<WIDTH>(B, K, N, k0 + n / (BN / 4), first_col + n % (BN / 4) * 4);
    }
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
    __syncthreads();  // no thread multiplies before both tiles are loaded (read after write)
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
    __syncthreads();  // no thread stores the next tiles over those still in use (write after read)
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      store4<WIDTH>(C, M, N, first_row + row + i / 4 * 4 * LM + i % 4, first_col + col + j * LN,
                    &acc[i][j]);
    }
  }
}
