// ordered_products: the products in an order that reads fewer registers, the copies in
// portions.
//
// The idea       A multiply-add reads three registers, and the register file cannot always deliver
//                three at once; an operand of the previous product can be reused. Four columns
//                at a time, back and forth, allow such an order. Copies that start all
//                at once delay the products; a portion in each of the first steps does not. This
//                order was found by measuring on an H200. It gains little, and another compiler may
//                change it.
// Changed since  fragments_ahead: the order of the products; a tile is copied in portions of
//                PORTION columns of A and PORTION rows of B, a portion in each of the first steps.
// Thread → data  warp w has the tile of C at row w / (BN / WN)·WM, column w % (BN / WN)·WN of the
//                block's, WM×WN = LM·TM × LN·TN; its lane at (lane_row, lane_col) has the rows
//                4·lane_row + 0 to 3 and the same 4·LM further, columns likewise
// Costs          as fragments_ahead: only the order differs

// Starts to copy WIDTH floats from global to shared memory without registers; stores zeros and
// reads nothing if `inside` is false. PTX ISA, "cp.async": the last operand is the number of
// bytes to read.
template <int WIDTH>
__device__ void copy_async(float* shared, const float* global, bool inside) {
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (WIDTH == 4) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global),
                 "r"(inside ? 16 : 0)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global),
                 "r"(inside ? 4 : 0)
                 : "memory");
  }
}

// Ends a group: all copies that this thread has started since the last call.
__device__ void end_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all of this thread's groups except the newest PENDING have arrived.
template <int PENDING>
__device__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
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
// WIDTH: floats of B and C moved at once; 4 if N is a multiple of 4 (rows start at 16 bytes), or 1
template <int BM, int BN, int BK, int TM, int TN, int LM, int LN, int STAGES, int PORTION,
          int WIDTH>
__global__ void __launch_bounds__(BM / TM * (BN / TN), 1)
    matmul_ordered_products(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int THREADS = BM / TM * (BN / TN);
  constexpr int WM = LM * TM;  // the warp's part of C is WM×WN
  constexpr int WN = LN * TN;
  constexpr int PORTIONS = BK / PORTION;
  constexpr int A_ROWS = THREADS / PORTION;  // rows of A's tile that all threads copy at once
  constexpr int A_COPIES = BM / A_ROWS;      // copies of a portion per thread
  constexpr int B_COPIES = PORTION * BN / WIDTH / THREADS;
  static_assert(TM % 4 == 0 && TN % 4 == 0, "a lane has groups of four rows and columns");
  static_assert(BM % A_ROWS == 0 && B_COPIES >= 1, "every thread copies the same number");
  static_assert(BK % 2 == 0 && PORTIONS < BK, "the fragments take turns; the last step only waits");
  extern __shared__ float4 tiles[];
  auto As = reinterpret_cast<float(*)[BK][BM + 4]>(tiles);    // As[stage][k][row]: transposed
  auto Bs = reinterpret_cast<float(*)[BK][BN]>(&As[STAGES]);  // Bs[stage][k][col]
  int thread = threadIdx.x;
  int lane = thread % (LM * LN);
  int warp = thread / (LM * LN);
  int lane_row = lane / 2 % LM;  // z-order: 0 1 / 2 3, then the same below, then to the right
  int lane_col = lane % 2 + lane / (2 * LM) * 2;
  int row = warp / (BN / WN) * WM + 4 * lane_row;  // the thread's first row in the block's tile
  int col = warp % (BN / WN) * WN + 4 * lane_col;
  int first_row = blockIdx.y * BM;
  int first_col = blockIdx.x * BN;

  // The last tile ends at K, so the first one begins `missing` before 0 and has zeros.
  int k_tiles = (K + BK - 1) / BK;
  int missing = k_tiles * BK - K;
  // Rows past A repeat its last row, columns past B its last column: their sums are not stored.
  int a_k = thread % PORTION;
  const float* a_from[A_COPIES];  // where the next tile begins, for each row
#pragma unroll
  for (int i = 0; i < A_COPIES; ++i) {
    int a_row = min(first_row + thread / PORTION + i * A_ROWS, M - 1);
    a_from[i] = A + a_row * K + a_k - missing;
  }
  const float* b_from = B - missing * N;

  // Starts to copy a portion of the next tile, whose first `zeros` columns of A and rows of B are
  // zeros.
  auto copy = [&](int stage, int portion, int zeros) {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      int k = portion * PORTION + a_k;
      copy_async<1>(&As[stage][k][thread / PORTION + i * A_ROWS], a_from[i] + portion * PORTION,
                    k >= zeros);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      int n = thread + i * THREADS;
      int k = portion * PORTION + n / (BN / WIDTH);
      int c = n % (BN / WIDTH) * WIDTH;
      copy_async<WIDTH>(&Bs[stage][k][c], b_from + k * N + min(first_col + c, N - WIDTH),
                        k >= zeros);
    }
    if (portion == PORTIONS - 1) {
      end_group();  // also for zeros: the wait counts groups

#pragma unroll
      for (int i = 0; i < A_COPIES; ++i) {
        a_from[i] += BK;
      }
      b_from += BK * N;
    }
  };
  // The thread's part of step k: a fragment.
  auto load = [&](float* a, float* b, int stage, int k) {
#pragma unroll
    for (int i = 0; i < TM; i += 4) {
      *reinterpret_cast<float4*>(&a[i]) =
          *reinterpret_cast<const float4*>(&As[stage][k][row + i * LM]);
    }
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      *reinterpret_cast<float4*>(&b[j]) =
          *reinterpret_cast<const float4*>(&Bs[stage][k][col + j * LN]);
    }
  };

#pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
#pragma unroll
    for (int p = 0; p < PORTIONS; ++p) {
      copy(t, p, t == 0 ? missing : t < k_tiles ? 0 : BK);
    }
  }
  wait_for_groups<STAGES - 2>();
  __syncthreads();  // the first tile is loaded (read after write)
  float acc[TM][TN] = {};
  alignas(16) float a[2][TM];
  alignas(16) float b[2][TN];
  load(a[0], b[0], 0, 0);
  int now = 0;            // the stage of tile t
  int free = STAGES - 1;  // the stage to copy into: that of tile t - 1
#pragma unroll 1
  for (int t = 0; t < k_tiles; ++t) {
    int next = now + 1 == STAGES ? 0 : now + 1;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k < PORTIONS) {
        copy(free, k, t + STAGES - 1 < k_tiles ? 0 : BK);
      }
      if (k < BK - 1) {
        load(a[(k + 1) % 2], b[(k + 1) % 2], now, k + 1);
      } else {
        wait_for_groups<STAGES - 2>();
        __syncthreads();  // tile t + 1 is loaded (read after write), tile t done (write after read)
        load(a[0], b[0], next, 0);
      }
      // Four columns at a time, back and forth: successive products share an operand.
#pragma unroll
      for (int j0 = 0; j0 < TN; j0 += 4) {
#pragma unroll
        for (int i = 0; i < TM; ++i) {
#pragma unroll
          for (int q = 0; q < 4; ++q) {
            int j = j0 + (i % 2 == 0 ? q : 3 - q);
            acc[i][j] += a[k % 2][i] * b[k % 2][j];
          }
        }
      }
    }
    free = now;
    now = next;
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
