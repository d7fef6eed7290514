// register_tile_8x8: 8×8 elements of C a thread, 128×128 a block.
//
// The idea       With 8 elements of As and 8 of Bs in registers a thread makes 64 products: a
//                quarter of a float4 load for each four. Twice the edge of a 4×4 tile, so half the
//                shared loads for each product, and half the reads of A and B.
// Changed since  register_tile_vectorised: the sizes are free (BM×BN the block's tile, BK along K,
//                TM×TN the thread's), and several float4s of a tile are loaded by each thread.
// Thread → data  thread n of block (bx, by) computes rows by·BM + n / (BN / TN)·TM + 0 to TM - 1,
//                columns bx·BN + n % (BN / TN)·TN + 0 to TN - 1 of C; it brings float4s number n,
//                n + THREADS, … of each tile
// Costs          (TM + TN) / (TM·TN) floats of shared memory for each product, as float4s; A is
//                read N / BN times, B M / BM times; neighbouring threads read Bs TN floats apart,
//                so at TN = 8 their float4s fall on the same banks

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
template <int BM, int BN, int BK, int TM, int TN, bool WHOLE>
__global__ void __launch_bounds__(BM / TM * (BN / TN))
    matmul_register_tile_8x8(const float* A, const float* B, float* C, int M, int N, int K) {
  static_assert(BK % 4 == 0 && TM % 4 == 0 && TN % 4 == 0, "four floats at a time");
  constexpr int THREADS = BM / TM * (BN / TN);
  constexpr int A_LOADS = BM * BK / 4 / THREADS;
  constexpr int B_LOADS = BK * BN / 4 / THREADS;
  __shared__ alignas(16) float As[BK][BM];  // As[k][row]: turned
  __shared__ alignas(16) float Bs[BK][BN];
  int thread = threadIdx.x;
  int first_row = blockIdx.y * BM;
  int first_col = blockIdx.x * BN;
  int row = thread / (BN / TN) * TM;  // the thread's first in the block's tile
  int col = thread % (BN / TN) * TN;
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
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += BK) {
    load(k0);
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
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4) {
        *reinterpret_cast<float4*>(&a[i]) = *reinterpret_cast<const float4*>(&As[k][row + i]);
      }
#pragma unroll
      for (int j = 0; j < TN; j += 4) {
        *reinterpret_cast<float4*>(&b[j]) = *reinterpret_cast<const float4*>(&Bs[k][col + j]);
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
      store4<WHOLE>(C, M, N, first_row + row + i, first_col + col + j, &acc[i][j]);
    }
  }
}
