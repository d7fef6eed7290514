// shared_last_wave: the tiles of the last, half-empty wave are shared by all multiprocessors.
//
// The idea       512 tiles of C on 132 multiprocessors are three full waves and a last one of 116
//                tiles, in which 16 multiprocessors are idle. So the last wave's tiles
//                are cut along K: each of SLOTS blocks gets the same number of steps (or one step
//                each of fewer blocks). A block that has only a part of a tile stores its sums in
//                `parts`; the last one to arrive adds them in order of k, so the result is the
//                same each time.
// Changed since  ordered_products: a one-dimensional grid, in which the last blocks, SLOTS at most,
//                share what is left of the tiles of C; the loop over parts of tiles; their sum.
// Thread → data  block b has tile b of C, counted by rows; a sharer has steps of one or two tiles.
//                Within the tile: warp w has the tile at row w / (BN / WN)·WM, column w % (BN /
//                WN)·WN, WM×WN = LM·TM × LN·TN; its lane at (lane_row, lane_col) has the rows
//                4·lane_row + 0 to 3 and the same 4·LM further, columns likewise
// Costs          as ordered_products, and up to 2·SLOTS tiles of C written to `parts` and read once

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
// parts: 2 for a sharer × BM·BN    arrived: a counter for a shared tile, 0 before and after
// sharers: min(SLOTS, steps that are left), 1 if none is    gridDim.x: they and a block for each
// tile of whole waves
// WIDTH: floats of B and C moved at once; 4 if N is a multiple of 4 (rows start at 16 bytes), or 1
template <int BM, int BN, int BK, int TM, int TN, int LM, int LN, int STAGES, int PORTION,
          int SLOTS, int WIDTH>
__global__ void __launch_bounds__(BM / TM * (BN / TN), 1)
    matmul_shared_last_wave(const float* A, const float* B, float* C, float* parts, int* arrived,
                            int M, int N, int K, int sharers) {
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
  __shared__ bool is_last;
  int thread = threadIdx.x;
  int lane = thread % (LM * LN);
  int warp = thread / (LM * LN);
  int lane_row = lane / 2 % LM;  // z-order: 0 1 / 2 3, then the same below, then to the right
  int lane_col = lane % 2 + lane / (2 * LM) * 2;
  int row = warp / (BN / WN) * WM + 4 * lane_row;  // the thread's first row in the block's tile
  int col = warp % (BN / WN) * WN + 4 * lane_col;
  // The last step ends at K, so the first one begins `missing` before 0 and has zeros.
  int k_tiles = (K + BK - 1) / BK;
  int missing = k_tiles * BK - K;
  // Whole waves have a block for each tile of C. What is left, `left` tiles of k_tiles steps each,
  // is divided evenly: sharer s has the steps from begin_of(s) to begin_of(s + 1), at least one.
  int across = (N + BN - 1) / BN;
  int all = (M + BM - 1) / BM * across;
  int left = all % SLOTS;
  int whole = all - left;
  int sharer = blockIdx.x - whole;
  auto begin_of = [&](int s) { return left * k_tiles * s / sharers; };
  int step = sharer < 0 ? 0 : begin_of(sharer);
  int last_step = sharer < 0 ? k_tiles : begin_of(sharer + 1);
#pragma unroll 1
  while (step < last_step) {  // once; a sharer: once for each of at most two tiles
    int tile = sharer < 0 ? blockIdx.x : whole + step / k_tiles;
    int first_row = tile / across * BM;
    int first_col = tile % across * BN;
    int first_t = step % k_tiles;
    int last_t = min(k_tiles, first_t + last_step - step);
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
    // zeros for the others;
    // only zeros if there is no such tile.
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
    int now = 0;  // the stage of tile t
#pragma unroll 1
    for (int t = first_t; t < last_t; ++t) {
      int next = now + 1 == STAGES ? 0 : now + 1;
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        if (k < BK - 1) {
          load(a[(k + 1) % 2], b[(k + 1) % 2], now, k + 1);
        } else {
          wait_for_groups<STAGES - 2>();
          __syncthreads();  // t + 1 is loaded (read after write), t done (write after read)
          load(a[0], b[0], next, 0);
        }
        if (k < PORTIONS) {
          copy(now == 0 ? STAGES - 1 : now - 1, k, t + STAGES - 1 < last_t);
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
      now = next;
    }
    step += last_t - first_t;
    if (last_t - first_t < k_tiles) {
      // Only a part of K: stored for the block that arrives last at this tile.
      auto part = [&](int number, int i, int j) {  // where a thread's acc[i][j] to [j + 3] are
        return reinterpret_cast<float4*>(parts) +
               (number * (TM * TN / 4) + (i * TN + j) / 4) * THREADS + thread;
      };
      int tile_begin = (tile - whole) * k_tiles;
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
          *part(2 * sharer + (begin_of(sharer) < tile_begin ? 1 : 0), i, j) =
              make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
        }
      }
      wait_for_groups<0>();  // also for the zeros after the last tile
      __threadfence();       // the part is visible before the arrival
      __syncthreads();       // all have stored and read the last tile (write after read)
      if (thread == 0) {
        int before = atomicAdd(&arrived[tile - whole], last_t - first_t);
        is_last = before + last_t - first_t == k_tiles;
      }
      __syncthreads();  // is_last is stored (read after write)
      if (!is_last) {
        continue;
      }
      __threadfence();  // the others' parts are read after their arrival
      if (thread == 0) {
        arrived[tile - whole] = 0;  // for the next launch
      }
      // In order of k, so that the sum is the same each time. The tile's sharers are neighbours.
      int other = sharer;
      while (begin_of(other) > tile_begin) {
        --other;
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          acc[i][j] = 0.0f;
        }
      }
#pragma unroll 1
      for (; begin_of(other) < tile_begin + k_tiles && other < sharers; ++other) {
#pragma unroll
        for (int i = 0; i < TM; ++i) {
#pragma unroll
          for (int j = 0; j < TN; j += 4) {
            float4 four = *part(2 * other + (begin_of(other) < tile_begin ? 1 : 0), i, j);
            acc[i][j] += four.x;
            acc[i][j + 1] += four.y;
            acc[i][j + 2] += four.z;
            acc[i][j + 3] += four.w;
          }
        }
      }
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
}
