// split_k: several blocks compute one tile of C, each a part of K: for a small C and a long K.
//
// The idea       A C of 512×512 has 32 tiles of 64×128, so 100 of 132 multiprocessors are idle,
//                for every K. So K is split over blocks: as many share a tile as SLOTS
//                blocks allow. Each stores its sums in `parts`; the last one to arrive at the tile
//                adds them up in order of k, so the result is the same each time.
// Changed since  sliced_k: a third dimension of the grid, parts of K, the sum over blocks.
// Thread → data  blockIdx.z is the block's number among the sharers of its tile. SLICE threads are
//                a slice, thread / SLICE its number; in it, warp w has the tile of C at row
//                w / (BN / WN)·WM, column w % (BN / WN)·WN of the block's, WM×WN = LM·TM × LN·TN;
//                its lane at (lane_row, lane_col) has the rows 4·lane_row + 0 to 3 and the same
//                4·LM further, columns likewise
// Costs          as sliced_k, and BM·BN floats per block written to `parts` and read once, by the
//                last block of each tile alone

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
// parts: BM·BN for a block    arrived: a counter for a tile of C, 0 before and after
// gridDim.z: how many blocks share a tile
// dynamic shared memory: the stages, later SLICES·BM·BN floats
// WIDTH: floats of B and C moved at once; 4 if N is a multiple of 4 (rows start at 16 bytes), or 1
template <int BM, int BN, int BK, int TM, int TN, int LM, int LN, int STAGES, int PORTION,
          int SLICES, int WIDTH>
__global__ void __launch_bounds__(BM / TM * (BN / TN) * SLICES, 1)
    matmul_split_k(const float* A, const float* B, float* C, float* parts, int* arrived, int M,
                   int N, int K) {
  constexpr int SLICE = BM / TM * (BN / TN);  // threads of a slice
  constexpr int THREADS = SLICES * SLICE;
  constexpr int STEPS = BK / SLICES;  // of a tile, for a slice
  constexpr int WM = LM * TM;         // the warp's part of C is WM×WN
  constexpr int WN = LN * TN;
  constexpr int PORTIONS = BK / PORTION;
  constexpr int A_ROWS = THREADS / PORTION;  // rows of A's tile that all threads copy at once
  constexpr int A_COPIES = BM / A_ROWS;      // copies of a portion per thread
  constexpr int B_COPIES = PORTION * BN / WIDTH / THREADS;
  constexpr int FOURS = BM * BN / 4 / THREADS;  // groups of four sums that a thread adds up
  static_assert(BM * BN % (4 * THREADS) == 0, "every thread adds the same number");
  static_assert(TM % 4 == 0 && TN % 4 == 0, "a lane has groups of four rows and columns");
  static_assert(BM % A_ROWS == 0 && B_COPIES >= 1, "every thread copies the same number");
  static_assert(STEPS % 2 == 0 && PORTIONS < STEPS, "fragments take turns; the last step waits");
  extern __shared__ float4 tiles[];
  auto As = reinterpret_cast<float(*)[BK][BM + 4]>(tiles);    // As[stage][k][row]: transposed
  auto Bs = reinterpret_cast<float(*)[BK][BN]>(&As[STAGES]);  // Bs[stage][k][col]
  int thread = threadIdx.x;
  int lane = thread % (LM * LN);
  int warp = thread % SLICE / (LM * LN);
  int first_k = thread / SLICE * STEPS;  // the slice's first step of each tile
  int lane_row = lane / 2 % LM;  // z-order: 0 1 / 2 3, then the same below, then to the right
  int lane_col = lane % 2 + lane / (2 * LM) * 2;
  int row = warp / (BN / WN) * WM + 4 * lane_row;  // the thread's first row in the block's tile
  int col = warp % (BN / WN) * WN + 4 * lane_col;
  int first_row = blockIdx.y * BM;
  int first_col = blockIdx.x * BN;

  // The last tile ends at K, so the first one begins `missing` before 0 and has zeros.
  int k_tiles = (K + BK - 1) / BK;
  int missing = k_tiles * BK - K;
  int sharers = gridDim.z;
  int sharer = blockIdx.z;  // it has the tiles of A and B from first_t to last_t - 1
  int first_t = k_tiles * sharer / sharers;
  int last_t = k_tiles * (sharer + 1) / sharers;
  // Rows past A repeat its last row, columns past B its last column: their sums are not stored.
  int a_k = thread % PORTION;
  int a_at[A_COPIES];
#pragma unroll
  for (int i = 0; i < A_COPIES; ++i) {
    int a_row = min(first_row + thread / PORTION + i * A_ROWS, M - 1);
    a_at[i] = a_row * K + a_k;
  }
  const float* a_from = A + first_t * BK - missing;  // where the next tile begins
  const float* b_from = B + (first_t * BK - missing) * N;

  // Starts to copy a portion of the next tile: its columns of A and rows of B from `first` on,
  // zeros for the others; only zeros if there is no such tile.
  auto copy = [&](int stage, int portion, bool is_there, int first = 0) {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      int k = portion * PORTION + a_k;
      copy_async<1>(&As[stage][k][thread / PORTION + i * A_ROWS],
                    a_from + a_at[i] + portion * PORTION, is_there && k >= first);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      int n = thread + i * THREADS;
      // % PORTION: it is below PORTION anyway; this way the compiler knows.
      int k = portion * PORTION + n / (BN / WIDTH) % PORTION;
      int c = n % (BN / WIDTH) * WIDTH;
      copy_async<WIDTH>(&Bs[stage][k][c], b_from + k * N + min(first_col + c, N - WIDTH),
                        is_there && k >= first);
    }
    if (portion == PORTIONS - 1) {
      end_group();  // also for zeros: the wait counts groups
      a_from += BK;
      b_from += BK * N;
    }
  };
  // The thread's part of step k of its slice: a fragment.
  auto load = [&](float* a, float* b, int stage, int k) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      *reinterpret_cast<float4*>(&b[j]) =
          *reinterpret_cast<const float4*>(&Bs[stage][first_k + k][col + j * LN]);
    }
#pragma unroll
    for (int i = 0; i < TM; i += 4) {
      *reinterpret_cast<float4*>(&a[i]) =
          *reinterpret_cast<const float4*>(&As[stage][first_k + k][row + i * LM]);
    }
  };

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
#pragma unroll
    for (int p = 0; p < PORTIONS; ++p) {
      copy(s, p, first_t + s < last_t, first_t + s == 0 ? missing : 0);
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
  for (int t = first_t; t < last_t; ++t) {
    int next = now + 1 == STAGES ? 0 : now + 1;
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      if (k < PORTIONS) {
        copy(free, k, t + STAGES - 1 < last_t);
      }
      if (k < STEPS - 1) {
        load(a[(k + 1) % 2], b[(k + 1) % 2], now, k + 1);
      } else {
        wait_for_groups<STAGES - 2>();
        __syncthreads();  // tile t + 1 is loaded (read after write), tile t done (write after read)
        load(a[0], b[0], next, 0);
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          int there_and_back = i % 2 == 0 ? j : TN - 1 - j;  // shares an operand
          acc[i][there_and_back] += a[k % 2][i] * b[k % 2][there_and_back];
        }
      }
    }
    free = now;
    now = next;
  }
  // The sums of the slices are added in the memory of the tiles.
  wait_for_groups<0>();
  __syncthreads();  // all threads have read the last tile (write after read)
  auto sums = reinterpret_cast<float(*)[BM][BN]>(tiles);  // sums[slice][row][col]
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      *reinterpret_cast<float4*>(
          &sums[thread / SLICE][row + i / 4 * 4 * LM + i % 4][col + j * LN]) =
          make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
    }
  }
  __syncthreads();  // all sums are stored (read after write)
  int tile = blockIdx.y * gridDim.x + blockIdx.x;
  auto part = [&](int block, int n) {  // where a sharer's sums n to n + 3 of the tile are
    return reinterpret_cast<float4*>(&parts[(tile * sharers + block) * (BM * BN) + n]);
  };
  for (int n = 4 * thread; n < BM * BN; n += 4 * THREADS) {
    float sum[4] = {};
#pragma unroll
    for (int slice = 0; slice < SLICES; ++slice) {
      float4 four = *reinterpret_cast<const float4*>(&sums[slice][n / BN][n % BN]);
      sum[0] += four.x;
      sum[1] += four.y;
      sum[2] += four.z;
      sum[3] += four.w;
    }
    *part(sharer, n) = make_float4(sum[0], sum[1], sum[2], sum[3]);
  }
  __shared__ bool is_last;
  __threadfence();  // the part is visible before the arrival
  __syncthreads();  // all threads have stored before thread 0 arrives (read after write)
  if (thread == 0) {
    is_last = atomicAdd(&arrived[tile], 1) == sharers - 1;
  }
  __syncthreads();  // is_last is stored (read after write)
  if (!is_last) {
    return;
  }
  __threadfence();  // the others' parts are read after their arrival
  if (thread == 0) {
    arrived[tile] = 0;  // for the next launch
  }
  float sum[FOURS][4] = {};
#pragma unroll 4
  for (int block = 0; block < sharers; ++block) {
#pragma unroll
    for (int i = 0; i < FOURS; ++i) {
      float4 four = *part(block, 4 * (thread + i * THREADS));
      sum[i][0] += four.x;
      sum[i][1] += four.y;
      sum[i][2] += four.z;
      sum[i][3] += four.w;
    }
  }
#pragma unroll
  for (int i = 0; i < FOURS; ++i) {
    int n = 4 * (thread + i * THREADS);
    store4<WIDTH>(C, M, N, first_row + n / BN, first_col + n % BN, sum[i]);
  }
}
