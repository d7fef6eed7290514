// fragments_ahead: the registers for step k + 1 are loaded before the products of step k.
//
// The idea       A load from shared memory takes some 30 cycles, and the products that need it are
//                right after it. With two sets of a and b, the loads for the next step are in
//                flight during the products of this one, also across the barrier: the first step of
//                tile t + 1 is loaded before the last products of tile t.
// Changed since  pipelined_tiles: two sets of fragments, a[2] and b[2]; the barrier is before
//                the last step of a tile, and the copies after it.
// Thread → data  warp w has the tile of C at row w / (BN / WN)·WM, column w % (BN / WN)·WN of the
//                block's, WM×WN = LM·TM × LN·TN; its lane at (lane_row, lane_col) has the rows
//                4·lane_row + 0 to 3 and the same 4·LM further, columns likewise
// Costs          as pipelined_tiles, and TM + TN more registers per thread

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
// ACROSS: how many neighbouring threads copy neighbouring floats of a row of A
template <int BM, int BN, int BK, int TM, int TN, int LM, int LN, int STAGES, int ACROSS, int WIDTH>
__global__ void __launch_bounds__(BM / TM * (BN / TN), 1)
    matmul_fragments_ahead(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int THREADS = BM / TM * (BN / TN);
  constexpr int WM = LM * TM;  // the warp's part of C is WM×WN
  constexpr int WN = LN * TN;
  constexpr int A_ROWS = THREADS / ACROSS;  // rows of A's tile that all threads copy at once
  constexpr int A_COPIES = BM / A_ROWS;
  constexpr int B_COPIES = BK * BN / WIDTH / THREADS;
  static_assert(TM % 4 == 0 && TN % 4 == 0, "a lane has groups of four rows and columns");
  static_assert(BM % A_ROWS == 0 && B_COPIES >= 1, "every thread copies the same number");
  static_assert(BK % ACROSS == 0, "rows of A's tile are copied in parts of ACROSS");
  static_assert(BK % 2 == 0, "the two sets of fragments take turns");
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
  int a_k = thread % ACROSS;
  const float* a_from[A_COPIES];  // where the next tile begins, for each row
#pragma unroll
  for (int i = 0; i < A_COPIES; ++i) {
    int a_row = min(first_row + thread / ACROSS + i * A_ROWS, M - 1);
    a_from[i] = A + a_row * K + a_k - missing;
  }
  const float* b_from = B - missing * N;

  // Starts to copy the next tile: its columns of A and rows of B from `first` on, zeros for the
  // others; only zeros if there is no such tile.
  auto copy = [&](int stage, bool is_there, int first = 0) {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
#pragma unroll
      for (int k = 0; k < BK; k += ACROSS) {
        copy_async<1>(&As[stage][k + a_k][thread / ACROSS + i * A_ROWS], a_from[i] + k,
                      is_there && k + a_k >= first);
      }
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      int n = thread + i * THREADS;
      int k = n / (BN / WIDTH);
      int c = n % (BN / WIDTH) * WIDTH;
      copy_async<WIDTH>(&Bs[stage][k][c], b_from + k * N + min(first_col + c, N - WIDTH),
                        is_there && k >= first);
    }
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      a_from[i] += BK;
    }
    b_from += BK * N;
    end_group();  // also for zeros: the wait counts groups
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
  for (int t = 0; t < STAGES; ++t) {
    copy(t, t < k_tiles, t == 0 ? missing : 0);
  }
  wait_for_groups<STAGES - 1>();
  __syncthreads();  // the first tile is loaded (read after write)
  float acc[TM][TN] = {};
  alignas(16) float a[2][TM];
  alignas(16) float b[2][TN];
  load(a[0], b[0], 0, 0);
  int now = 0;  // the stage of tile t
#pragma unroll 1
  for (int t = 0; t < k_tiles; ++t) {
    int next = now + 1 == STAGES ? 0 : now + 1;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k < BK - 1) {
        load(a[(k + 1) % 2], b[(k + 1) % 2], now, k + 1);
      } else {
        wait_for_groups<STAGES - 2>();
        __syncthreads();  // tile t + 1 is loaded (read after write), tile t done (write after read)
        load(a[0], b[0], next, 0);
        copy(now, t + STAGES < k_tiles);
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          acc[i][j] += a[k % 2][i] * b[k % 2][j];
        }
      }
    }
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
