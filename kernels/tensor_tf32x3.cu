// tensor_tf32x3: float products on the tensor cores, which keep only 11 bits of each operand.
//
// The idea       A tensor core multiplies TF32: floats without their low 13 bits. But a float is a
//                big part that TF32 holds, and a small rest. a·b is big·big + big·small +
//                small·big; small·small is negligible. That is three products instead of
//                one, on a unit that is eight times as fast. The unit truncates its sums instead of
//                rounding them. So it adds up only 8 steps of k, and an
//                ordinary addition adds these to the total. Left in the unit (SUMS = IN_UNIT),
//                the whole sum costs no addition, and every truncation is in the result.
// Changed since  pipelined_tiles: mma.sync multiplies, a warp at a time; As is not transposed; a
//                lane reads the elements that the instruction needs, not fragments of whole rows.
// Thread → data  warp w has the tile of C at row w / (BN / WN)·WM, column w % (BN / WN)·WN of the
//                block's, in pieces of 16×8; of each, lane l has the rows l / 4 and l / 4 + 8, in
//                columns 2·(l % 4) and the next
// Costs          3 multiply-adds of the unit for each product; 1/8 ordinary addition; 3 operations
//                to split each element read; (WM + WN) / (WM·WN) floats of shared memory read for
//                each product. An infinity in A or B produces NaN: its rest is infinity - infinity
//                (needs a GPU of compute capability 8.0)

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

// x = big + small, exactly. The unit cuts off the low 13 bits of each operand: of `small` that is
// less than 2^-21 of x.
__device__ void split(float x, unsigned& big, unsigned& small) {
  big = __float_as_uint(x) & 0xffffe000U;
  small = __float_as_uint(x - __uint_as_float(big));
}

// D (16×8) += A (16×8) · B (8×8), for the whole warp: a lane gives 4 elements of A, 2 of B and 4 of
// D. PTX ISA, "Matrix Fragments for mma.m16n8k8", .tf32.
__device__ void multiply_add(float* d, const unsigned* a, const unsigned* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
// SUMS: IN_FLOAT, or IN_UNIT for all of a sum in the tensor core
// BLOCKS: blocks per multiprocessor
// WIDTH: floats of A and B copied at once; 4 if N and K are multiples of 4, or 1
constexpr int IN_FLOAT = 1;
constexpr int IN_UNIT = 2;
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int BLOCKS, int SUMS, int WIDTH>
__global__ void __launch_bounds__(BM / WM * (BN / WN) * 32, BLOCKS)
    matmul_tensor_tf32x3(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int THREADS = BM / WM * (BN / WN) * 32;
  constexpr int A_COPIES = BM * BK / WIDTH / THREADS;
  constexpr int B_COPIES = BK * BN / WIDTH / THREADS;
  static_assert(WM % 16 == 0 && WN % 8 == 0 && BK % 8 == 0, "whole pieces of 16, 8 and 8");
  static_assert(SUMS == IN_FLOAT || SUMS == IN_UNIT, "sums are kept in one of two ways");
  static_assert(A_COPIES >= 1 && B_COPIES >= 1, "every thread copies the same number");
  extern __shared__ float4 tiles[];
  // Rows 4 and 8 words longer than the tile: a warp's loads of a fragment have no bank conflict.
  auto As = reinterpret_cast<float(*)[BM][BK + 4]>(tiles);        // As[stage][row][k]
  auto Bs = reinterpret_cast<float(*)[BK][BN + 8]>(&As[STAGES]);  // Bs[stage][k][col]
  int thread = threadIdx.x;
  int lane = thread % 32;
  int warp = thread / 32;
  int row = warp / (BN / WN) * WM + lane / 4;  // the lane's first row in the block's tile
  int col = warp % (BN / WN) * WN;
  int first_row = blockIdx.y * BM;
  int first_col = blockIdx.x * BN;

  // The last tile ends at K, so the first one begins `missing` before 0 and has zeros.
  int k_tiles = (K + BK - 1) / BK;
  int missing = k_tiles * BK - K;
  // Rows past A repeat its last row, columns past B its last column: their sums are not stored.
  auto copy = [&](int t, int stage) {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      int n = thread + i * THREADS;
      int r = n / (BK / WIDTH);
      int k = t * BK - missing + n % (BK / WIDTH) * WIDTH;
      copy_async<WIDTH>(&As[stage][r][n % (BK / WIDTH) * WIDTH],
                        A + min(first_row + r, M - 1) * K + k, t < k_tiles && k >= 0);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      int n = thread + i * THREADS;
      int c = n % (BN / WIDTH) * WIDTH;
      int k = t * BK - missing + n / (BN / WIDTH);
      copy_async<WIDTH>(&Bs[stage][n / (BN / WIDTH)][c], B + k * N + min(first_col + c, N - WIDTH),
                        t < k_tiles && k >= 0);
    }
    end_group();  // also for zeros: the wait counts groups
  };
#pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    copy(t, t);
  }
  float acc[WM / 16][WN / 8][4] = {};
  int now = 0;            // the stage of tile t
  int free = STAGES - 1;  // the stage to copy into: that of tile t - 1
#pragma unroll 1
  for (int t = 0; t < k_tiles; ++t) {
    wait_for_groups<STAGES - 2>();
    __syncthreads();  // tile t is loaded (read after write), tile t - 1 done (write after read)
    copy(t + STAGES - 1, free);
#pragma unroll
    for (int k = 0; k < BK; k += 8) {
      unsigned a_big[WM / 16][4];
      unsigned a_small[WM / 16][4];
      unsigned b_big[WN / 8][2];
      unsigned b_small[WN / 8][2];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          split(As[now][row + 16 * i + e % 2 * 8][k + lane % 4 + e / 2 * 4], a_big[i][e],
                a_small[i][e]);
        }
      }
#pragma unroll
      for (int j = 0; j < WN / 8; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          split(Bs[now][k + lane % 4 + e * 4][col + 8 * j + lane / 4], b_big[j][e], b_small[j][e]);
        }
      }
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) {
          float step[4] = {};
          float* sum = SUMS == IN_UNIT ? acc[i][j] : step;
          multiply_add(sum, a_big[i], b_small[j]);  // the small ones first
          multiply_add(sum, a_small[i], b_big[j]);
          multiply_add(sum, a_big[i], b_big[j]);
          if constexpr (SUMS == IN_FLOAT) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
              acc[i][j][e] += step[e];
            }
          }
        }
      }
    }
    free = now;
    now = now + 1 == STAGES ? 0 : now + 1;
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        int r = first_row + row + 16 * i + e / 2 * 8;
        int c = first_col + col + 8 * j + 2 * (lane % 4) + e % 2;
        if (r < M && c < N) {
          C[r * N + c] = acc[i][j][e];
        }
      }
    }
  }
}
