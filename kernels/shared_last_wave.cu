// shared_last_wave: the tiles of the last, half-empty wave are shared by all multiprocessors.
//
// The idea       512 tiles on 132 multiprocessors are three full waves and one of 116: 16 have
// nothing
//                to do. Here the tiles of the last wave are cut along K, and each of SLOTS blocks
//                gets the same number of steps. A block that has only part of a tile leaves its
//                sums in `parts`; the last one to arrive adds them up, in order of k.
// Changed since  ordered_products: a one-dimensional grid of whole waves; a loop over parts of
// tiles. Thread → data  lanes of a warp lie as LM×LN over a tile of C of WM×WN = LM·TM × LN·TN
// elements; a
//                lane has groups of four rows, 4·LM apart, and of four columns, 4·LN apart
// Costs          as ordered_products, and up to 2·SLOTS tiles of C written to `parts` and read
// again

// Starts to copy BYTES (4 or 16) from global to shared memory; stores 0 where `inside` is false.
// PTX ISA, "cp.async": of the bytes to store, only the last operand's number is read.
template <int BYTES>
__device__ void copy_async(float* shared, const float* global, bool inside) {
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  int bytes = inside ? BYTES : 0;
  if constexpr (BYTES == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"(bytes)
                 : "memory");
  }
}

// Everything this thread has started to copy since the last call is one group.
__device__ void end_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all of this thread's groups but the newest PENDING are there.
template <int PENDING>
__device__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
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
// parts: 2·SLOTS rows of BM·BN    arrived: SLOTS counters, 0 before and after each launch
template <int BM, int BN, int BK, int TM, int TN, int LM, int LN, int STAGES, int SLOTS, bool WHOLE>
__global__ void __launch_bounds__(BM / TM * (BN / TN), 1)
    matmul_shared_last_wave(const float* A, const float* B, float* C, float* parts, int* arrived,
                            int M, int N, int K) {
  constexpr int WM = LM * TM;  // the warp's part of C is WM×WN
  constexpr int WN = LN * TN;
  constexpr int THREADS = BM / TM * (BN / TN);
  constexpr int STEPS = BK;
  static_assert(STEPS % 2 == 0, "the two sets of fragments take turns");
  constexpr int ACROSS = BK < 8 ? BK : 8;  // neighbouring threads bring neighbouring k of a row
  constexpr int A_ROWS = THREADS / ACROSS;
  constexpr int A_COPIES = BM * BK / THREADS;
  constexpr int B_ROWS = THREADS / (BN / 4);
  constexpr int B_COPIES = BK / B_ROWS;
  static_assert(BM % A_ROWS == 0 && BK % B_ROWS == 0, "every thread copies the same number");
  extern __shared__ float4 tiles[];
  auto As = reinterpret_cast<float(*)[BK][BM + 4]>(tiles);    // As[stage][k][row]: turned
  auto Bs = reinterpret_cast<float(*)[BK][BN]>(&As[STAGES]);  // Bs[stage][k][col]
  __shared__ bool is_last;
  int thread = threadIdx.x;
  int lane = thread % (LM * LN);
  int warp = thread / (LM * LN);
  int lane_row = lane / 2 % LM;  // z-order: 0 1 / 2 3, then the same below, then to the right
  int lane_col = lane % 2 + lane / (2 * LM) * 2;
  int row = warp / (BN / WN) * WM + 4 * lane_row;  // the thread's first in the block's tile
  int col = warp % (BN / WN) * WN + 4 * lane_col;
  int k_tiles = (K + BK - 1) / BK;
  int across = (N + BN - 1) / BN;
  int all = (M + BM - 1) / BM * across;
  int whole = all / SLOTS * SLOTS;  // tiles of C that fill whole waves: a block each
  // What is left is `all - whole` tiles of `k_tiles` steps, dealt evenly to SLOTS blocks.
  int sharer = blockIdx.x - whole;
  int step = 0;
  int last_step = k_tiles;
  if (sharer >= 0) {
    step = static_cast<int>(static_cast<long long>(all - whole) * k_tiles * sharer / SLOTS);
    last_step =
        static_cast<int>(static_cast<long long>(all - whole) * k_tiles * (sharer + 1) / SLOTS);
  }
#pragma unroll 1
  for (int part = 2 * sharer; step < last_step;
       ++part) {  // a sharer has parts of at most two tiles
    int tile = sharer < 0 ? blockIdx.x : whole + step / k_tiles;
    int first_tile = step % k_tiles;
    int last_tile = min(k_tiles, first_tile + last_step - step);
    step += last_tile - first_tile;
    int first_row = tile / across * BM;
    int first_col = tile % across * BN;
    constexpr int PARTS = STEPS < 8 ? STEPS / 2 : 4;  // a tile is copied in so many steps of k
    int now = 0;                                      // the stage of the tile that is multiplied
    int free = 0;                                     // the stage that is copied into
    auto copy = [&](int tile, int part) {
      bool more = tile < last_tile;
      int stage = free;
#pragma unroll
      for (int i = 0; i < A_COPIES; ++i) {
        if (i * PARTS / A_COPIES != part) {
          continue;
        }
        int r = thread / ACROSS + i % (BM / A_ROWS) * A_ROWS;
        int k = thread % ACROSS + i / (BM / A_ROWS) * ACROSS;
        bool inside = more && (WHOLE || (first_row + r < M && tile * BK + k < K));
        copy_async<4>(&As[stage][k][r], inside ? &A[(first_row + r) * K + tile * BK + k] : A,
                      inside);
      }
#pragma unroll
      for (int i = 0; i < B_COPIES; ++i) {
        if (i * PARTS / B_COPIES != part) {
          continue;
        }
        int k = thread / (BN / 4) + i * B_ROWS;
        int c = thread % (BN / 4) * 4;
        const float* from = &B[(tile * BK + k) * N + first_col + c];
        if constexpr (WHOLE) {
          copy_async<16>(&Bs[stage][k][c], from, more);
        } else {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            bool inside = more && tile * BK + k < K && first_col + c + j < N;
            copy_async<4>(&Bs[stage][k][c + j], inside ? from + j : B, inside);
          }
        }
      }
    };
    float acc[TM][TN] = {};
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
      free = s;
#pragma unroll
      for (int p = 0; p < PARTS; ++p) {
        copy(first_tile + s, p);
      }
      end_group();
    }
    auto load = [&](float* a, float* b, int stage,
                    int k) {  // a fragment: the thread's part of step k
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
    wait_for_groups<STAGES - 2>();
    __syncthreads();  // the first tile is there (read after write)
    alignas(16) float a[2][TM];
    alignas(16) float b[2][TN];
    load(a[0], b[0], 0, 0);
    free = STAGES - 1;  // of tile -1, which is not there
#pragma unroll 1
    for (int t = first_tile; t < last_tile;
         ++t, free = now, now = now + 1 == STAGES ? 0 : now + 1) {
#pragma unroll
      for (int k = 0; k < STEPS; ++k) {
        if (k == STEPS - 1) {
          wait_for_groups<STAGES - 2>();
          __syncthreads();  // tile t + 1 is there (read after write), tile t read to the end (w.
                            // after r.)
          // Behind the last tile these are old values, which nobody uses.
          load(a[0], b[0], (now + 1 == STAGES ? 0 : now + 1), 0);
        } else {
          load(a[(k + 1) % 2], b[(k + 1) % 2], now, k + 1);
        }
        if (k < PARTS) {
          copy(t + STAGES - 1, k);  // into the stage of tile t - 1, which the last barrier set free
        }
        if (k == PARTS - 1) {
          end_group();  // also an empty one: the number of groups is what is waited for
        }
#pragma unroll
        for (int j0 = 0; j0 < TN; j0 += 4) {
#pragma unroll
          for (int i = 0; i < TM; ++i) {
#pragma unroll
            for (int q = 0; q < 4; ++q) {
              int j = j0 + (i % 2 == 0 ? q : 3 - q);  // there and back: neighbours share an operand
              acc[i][j] += a[k % 2][i] * b[k % 2][j];
            }
          }
        }
      }
    }
    if (last_tile - first_tile < k_tiles) {  // not all of K: leave it for the last who comes
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
          *reinterpret_cast<float4*>(
              &parts[part * BM * BN + ((i * TN + j) / 4 * THREADS + thread) * 4]) =
              make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
        }
      }
      __threadfence();  // the part is visible before its arrival is
      __syncthreads();  // all threads' stores are done; nobody copies over tiles still in use
      if (thread == 0) {
        int before = atomicAdd(&arrived[tile - whole], last_tile - first_tile);
        is_last = before + last_tile - first_tile == k_tiles;
      }
      __syncthreads();  // is_last is there (read after write)
      if (!is_last) {
        continue;
      }
      __threadfence();  // what the others left is read after their arrival
      if (thread == 0) {
        arrived[tile - whole] = 0;  // for the next launch
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          acc[i][j] = 0.0f;
        }
      }
      // The sharers of this tile are neighbours; in order of k, so the sum is the same each time.
      long long steps = static_cast<long long>(all - whole) * k_tiles;
      long long tile_step = static_cast<long long>(tile - whole) * k_tiles;
      int from = static_cast<int>(tile_step * SLOTS / steps);
      while (steps * (from + 1) / SLOTS <= tile_step) {
        ++from;
      }
#pragma unroll 1
      for (int other = from; other < SLOTS && steps * other / SLOTS < tile_step + k_tiles;
           ++other) {
        if (steps * other / SLOTS == steps * (other + 1) / SLOTS) {
          continue;  // fewer steps than sharers: this one had none
        }
        // A sharer that began in the tile before has its second part here.
        int there = 2 * other + (steps * other / SLOTS < tile_step ? 1 : 0);
#pragma unroll
        for (int i = 0; i < TM; ++i) {
#pragma unroll
          for (int j = 0; j < TN; j += 4) {
            float4 four = *reinterpret_cast<const float4*>(
                &parts[there * BM * BN + ((i * TN + j) / 4 * THREADS + thread) * 4]);
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
        store4<WHOLE>(C, M, N, first_row + row + i / 4 * 4 * LM + i % 4, first_col + col + j * LN,
                      &acc[i][j]);
      }
    }
    __syncthreads();  // nobody copies over tiles still in use (write after read)
  }
}
