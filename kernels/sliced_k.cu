// sliced_k: several groups of warps compute one tile of C, each a slice of k.
//
// The idea       A small C has few tiles, so most multiprocessors have none. Smaller tiles make
// more
//                blocks, but of one or two warps, which cannot hide any latency. So SLICES groups
//                of warps compute the same tile, each a different part of BK, and add up at the
//                end.
// Changed since  fragments_ahead: the slices, their sum through shared memory, copies in portions.
// Thread → data  lanes of a warp lie as LM×LN over a tile of C of WM×WN = LM·TM × LN·TN elements; a
//                lane has groups of four rows, 4·LM apart, and of four columns, 4·LN apart
// Costs          as fragments_ahead, and SLICES·BM·BN floats stored to shared memory and loaded
// once

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

// The same, and nothing is stored where `inside` is false: a predicate, so no branch parts the
// products.
template <int BYTES>
__device__ void copy_if(float* shared, const float* global, bool inside) {
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (BYTES == 16) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16; }" ::
            "r"(to),
        "l"(global), "r"(static_cast<int>(inside))
        : "memory");
  } else {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], 4; }" ::"r"(
            to),
        "l"(global), "r"(static_cast<int>(inside))
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
// WHOLE: the tiles fit (M % BM == 0, N % BN == 0, K % BK == 0), so nothing is guarded;
// K >= STAGES * BK, so that each stage has been filled once
template <int BM, int BN, int BK, int TM, int TN, int LM, int LN, int STAGES, int SLICES,
          bool WHOLE>
__global__ void __launch_bounds__(BM / TM * (BN / TN) * SLICES, 1)
    matmul_sliced_k(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int WM = LM * TM;  // the warp's part of C is WM×WN
  constexpr int WN = LN * TN;
  constexpr int SLICE = BM / TM * (BN / TN);  // threads of a slice
  constexpr int THREADS = SLICES * SLICE;
  constexpr int STEPS = BK / SLICES;  // of k that a slice has in each tile
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
  int thread = threadIdx.x;
  int lane = thread % (LM * LN);
  int warp = thread % SLICE / (LM * LN);
  int first_k = thread / SLICE * STEPS;  // of the slice in each tile
  int lane_row = lane / 2 % LM;  // z-order: 0 1 / 2 3, then the same below, then to the right
  int lane_col = lane % 2 + lane / (2 * LM) * 2;
  int row = warp / (BN / WN) * WM + 4 * lane_row;  // the thread's first in the block's tile
  int col = warp % (BN / WN) * WN + 4 * lane_col;
  int first_row = blockIdx.y * BM;
  int first_col = blockIdx.x * BN;
  int k_tiles = (K + BK - 1) / BK;
  constexpr int PARTS = STEPS < 8 ? STEPS / 2 : 4;  // a tile is copied in so many steps of k
  int now = 0;                                      // the stage of the tile that is multiplied
  int free = 0;                                     // the stage that is copied into
  const float* a_from = A + static_cast<size_t>(first_row + thread / ACROSS) * K + thread % ACROSS;
  const float* b_from =
      B + static_cast<size_t>(thread / (BN / 4)) * N + first_col + thread % (BN / 4) * 4;

  auto copy = [&](int tile, int part) {
    bool more = tile < k_tiles;
    int stage = free;
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      if (i * PARTS / A_COPIES != part) {
        continue;
      }
      int r = thread / ACROSS + i % (BM / A_ROWS) * A_ROWS;
      int k = thread % ACROSS + i / (BM / A_ROWS) * ACROSS;
      if constexpr (WHOLE) {
        copy_if<4>(&As[stage][k][r],
                   a_from + static_cast<size_t>(i % (BM / A_ROWS) * A_ROWS) * K + tile * BK +
                       i / (BM / A_ROWS) * ACROSS,
                   more);
      } else {
        bool inside = more && first_row + r < M && tile * BK + k < K;
        copy_async<4>(&As[stage][k][r], inside ? &A[(first_row + r) * K + tile * BK + k] : A,
                      inside);
      }
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      if (i * PARTS / B_COPIES != part) {
        continue;
      }
      int k = thread / (BN / 4) + i * B_ROWS;
      int c = thread % (BN / 4) * 4;
      const float* from = b_from + static_cast<size_t>(tile * BK + i * B_ROWS) * N;
      if constexpr (WHOLE) {
        copy_if<16>(&Bs[stage][k][c], from, more);
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
      copy(s, p);
    }
    end_group();
  }
  auto load = [&](float* a, float* b, int stage,
                  int k) {  // a fragment: the thread's part of step k
#pragma unroll
    for (int i = 0; i < TM; i += 4) {
      *reinterpret_cast<float4*>(&a[i]) =
          *reinterpret_cast<const float4*>(&As[stage][first_k + k][row + i * LM]);
    }
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      *reinterpret_cast<float4*>(&b[j]) =
          *reinterpret_cast<const float4*>(&Bs[stage][first_k + k][col + j * LN]);
    }
  };
  wait_for_groups<STAGES - 2>();
  __syncthreads();  // the first tile is there (read after write)
  alignas(16) float a[2][TM];
  alignas(16) float b[2][TN];
  load(a[0], b[0], 0, 0);
  free = STAGES - 1;  // of tile -1, which is not there
#pragma unroll 1
  for (int t = 0; t < k_tiles; ++t, free = now, now = now + 1 == STAGES ? 0 : now + 1) {
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
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          acc[i][j] += a[k % 2][i] * b[k % 2][j];
        }
      }
    }
  }
  // The slices' sums are added through shared memory, where the tiles were.
  wait_for_groups<0>();
  __syncthreads();  // everybody has read the last tile (write after read)
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
  __syncthreads();  // all sums are there (read after write)
  for (int n = 4 * thread; n < BM * BN; n += 4 * THREADS) {
    float sum[4] = {};
#pragma unroll
    for (int slice = 0; slice < SLICES; ++slice) {
      float4 one = *reinterpret_cast<const float4*>(&sums[slice][n / BN][n % BN]);
      sum[0] += one.x;
      sum[1] += one.y;
      sum[2] += one.z;
      sum[3] += one.w;
    }
    store4<WHOLE>(C, M, N, first_row + n / BN, first_col + n % BN, sum);
  }
}
