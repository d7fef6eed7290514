// pipelined_tiles: cp.async brings the tiles in three stages; 16×8 elements of C a thread.
//
// The idea       cp.async copies from global to shared memory past the registers. With STAGES
// places
//                for the tiles, STAGES - 1 tiles are on their way while one is multiplied, so more
//                latency is hidden, and one barrier a tile is enough. The registers that
//                prefetching took are free for a larger tile of C.
// Changed since  prefetch_registers: cp.async in STAGES stages instead of registers; As is turned
//                while it is copied, one float at a time; 16×8 instead of 8×8.
// Thread → data  lanes of a warp lie as LM×LN over a tile of C of WM×WN = LM·TM × LN·TN elements; a
//                lane has groups of four rows, 4·LM apart, and of four columns, 4·LN apart
// Costs          STAGES·BK·(BM + 4 + BN) floats of shared memory; one barrier a tile (needs a GPU
// of
//                compute capability 8.0)

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
template <int BM, int BN, int BK, int TM, int TN, int LM, int LN, int STAGES, bool WHOLE>
__global__ void __launch_bounds__(BM / TM * (BN / TN), 1)
    matmul_pipelined_tiles(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int WM = LM * TM;  // the warp's part of C is WM×WN
  constexpr int WN = LN * TN;
  constexpr int THREADS = BM / TM * (BN / TN);
  constexpr int STEPS = BK;
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
  int warp = thread / (LM * LN);
  int lane_row = lane / 2 % LM;  // z-order: 0 1 / 2 3, then the same below, then to the right
  int lane_col = lane % 2 + lane / (2 * LM) * 2;
  int row = warp / (BN / WN) * WM + 4 * lane_row;  // the thread's first in the block's tile
  int col = warp % (BN / WN) * WN + 4 * lane_col;
  int first_row = blockIdx.y * BM;
  int first_col = blockIdx.x * BN;
  int k_tiles = (K + BK - 1) / BK;
  auto copy = [&](int tile) {
    if (tile >= k_tiles) {
      return;
    }
    int stage = tile % STAGES;
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      int r = thread / ACROSS + i % (BM / A_ROWS) * A_ROWS;
      int k = thread % ACROSS + i / (BM / A_ROWS) * ACROSS;
      bool inside = WHOLE || (first_row + r < M && tile * BK + k < K);
      copy_async<4>(&As[stage][k][r], inside ? &A[(first_row + r) * K + tile * BK + k] : A, inside);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      int k = thread / (BN / 4) + i * B_ROWS;
      int c = thread % (BN / 4) * 4;
      const float* from = &B[(tile * BK + k) * N + first_col + c];
      if constexpr (WHOLE) {
        copy_async<16>(&Bs[stage][k][c], from, true);
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          bool inside = tile * BK + k < K && first_col + c + j < N;
          copy_async<4>(&Bs[stage][k][c + j], inside ? from + j : B, inside);
        }
      }
    }
  };
  float acc[TM][TN] = {};
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    copy(s);
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
#pragma unroll 1
  for (int t = 0; t < k_tiles; ++t) {
    wait_for_groups<STAGES - 2>();
    __syncthreads();  // tile t is there (read after write) and tile t - 1 done (write after read)
    copy(t + STAGES - 1);
    end_group();  // also an empty one: the number of groups is what is waited for
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
      load(a, b, t % STAGES, k);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          acc[i][j] += a[i] * b[j];
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
}
