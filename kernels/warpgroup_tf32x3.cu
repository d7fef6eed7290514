// warpgroup_tf32x3: tensor cores that read shared memory by themselves, fed by the TMA unit.
//
// The idea       mma.sync needs all factors in registers, so warps spend their time on loading
//                them. wgmma reads one factor in shared memory by itself: four warps, a warpgroup,
//                start a product of 64×8 by 8×BM and continue. Nor do threads copy: one requests a
//                box of A or B from the TMA unit (cp.async.bulk.tensor), and an mbarrier counts
//                the bytes that arrive. So warps have roles. Warp 0 orders the copies, warps 1 and
//                2 make the small parts of A, the other warpgroups multiply. No thread waits for
//                the whole block: each stage has three mbarriers that pass it from one role to
//                the next.
// Changed since  tensor_tf32x3: wgmma for mma.sync, the TMA unit for cp.async, roles for
//                the block's barriers. A sum stays in the unit for the 32 steps of a tile. The
//                small products are added first, so that only four big ones are cut off.
// Thread → data  The unit computes the transpose, C^T = B^T·A^T: the factor in registers is then
//                B, which is transposed anyway, and A is in shared memory as it is needed. A
//                warp has 16·HALVES columns of C and all BM rows of the block's tile.
// Costs          3 multiply-adds of the unit for each product; 1/32 ordinary addition; 2 operations
//                to split an element; each element of B is loaded once from shared memory, A is
//                read by the unit. An infinity in A or B produces NaN: its rest is infinity -
//                infinity (needs a GPU of compute capability 9.0, and N and K that are multiples of
//                4)

// CUtensorMap: the TMA unit's description of a matrix. The driver fills it in.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};
using Mbarrier = unsigned long long;

constexpr int BK = 32;  // 128 bytes of a row of A: what the TMA unit's swizzle works on

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Each phase ends when `arrivals` threads and the bytes that they announced have arrived.
__device__ void init(Mbarrier& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ void arrive(Mbarrier& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier))
               : "memory");
}
__device__ void arrive_and_announce(Mbarrier& barrier, int bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
      "r"(bytes)
      : "memory");
}
// Waits until a phase of that parity is over: 0 for the first, 1 for the second, 0 for the third.
__device__ void wait(Mbarrier& barrier, int parity) {
  unsigned is_over = 0;
  while (is_over == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(is_over)
        : "r"(shared_address(&barrier)), "r"(parity)
        : "memory");
  }
}

// Asks the TMA unit for the box of a matrix that begins at (row, col). What is outside the
// matrix arrives as zeros. Of each row of 128 bytes, the pieces of 16 bytes are permuted: piece p
// of row r is at the place of piece p ^ r % 8.
__device__ void copy_box(float* to, const TensorMap& map, int row, int col, Mbarrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(&map), "r"(col), "r"(row), "r"(shared_address(&barrier))
      : "memory");
}

// Makes what threads stored in shared memory visible to the tensor cores and the TMA unit.
__device__ void show_to_units() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// x = big + small, exactly. The unit cuts off the low 13 bits of each operand by itself, so x is
// its own big part. A is split this way.
__device__ float small_part(float x) {
  return x - __uint_as_float(__float_as_uint(x) & 0xffffe000U);
}
// The same with big rounded to nearest: B is split this way. Its small parts have either sign, and
// small·small, which is left out, averages out.
__device__ void split(float x, unsigned& big, unsigned& small) {
  big = (__float_as_uint(x) + 0x1000U) & 0xffffe000U;
  small = __float_as_uint(x - __uint_as_float(big));
}

// Where the unit finds a factor: rows of 128 bytes with swizzle, eight of them 1024 bytes before
// the next eight. PTX ISA, "Matrix Descriptor Format".
__device__ unsigned long long descriptor(const float* matrix) {
  return (shared_address(matrix) & 0x3ffffULL) >> 4 | 1ULL << 16 | (1024ULL >> 4) << 32 |
         1ULL << 62;
}

// The warpgroup starts D (64×ROWS) = B^T (64×8) · A^T (8×ROWS), added to D unless it is the first.
// A warp has 16 rows of D, a thread 4 elements of B^T and ROWS / 2 of D. PTX ISA, "Register
// Fragments for wgmma.mma_async.m64nNk8".
template <int ROWS>
__device__ void start_product(float (&d)[ROWS / 2], const unsigned (&b)[4], unsigned long long a,
                              int adds) {
  static_assert(ROWS == 8 || ROWS == 64 || ROWS == 128, "an instruction for each");
  if constexpr (ROWS == 8) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %9, 0; "
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 "
        "{%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, %8, p, 1, 1; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "l"(a), "r"(adds));
  } else if constexpr (ROWS == 64) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %37, 0; "
        "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
        "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, p, 1, 1; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "l"(a), "r"(adds));
  } else {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %69, 0; "
        "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
        "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "
        "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
        "%62, %63}, "
        "{%64, %65, %66, %67}, %68, p, 1, 1; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
          "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
          "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
          "+f"(d[63])
        : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "l"(a), "r"(adds));
  }
}
// Needed before the first product, and after a change of registers that a product uses.
__device__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// All products that were started since the last call are one group; waits until it is done.
__device__ void finish_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M; N and K multiples of 4
// BM×BN: the block's tile of C; GROUPS: warpgroups that multiply, each BN / GROUPS columns
template <int BM, int BN, int GROUPS, int STAGES>
__global__ void __launch_bounds__(128 * (GROUPS + 1), 1)
    matmul_warpgroup_tf32x3(const __grid_constant__ TensorMap A,
                            const __grid_constant__ TensorMap B, float* C, int M, int N, int K) {
  constexpr int HALVES = BN / (64 * GROUPS);  // a warpgroup's columns, 64 at a time
  constexpr int SPLITTERS = 64;               // threads
  static_assert(HALVES == 1 || HALVES == 2, "more sums than that fit no register file");
  extern __shared__ __align__(1024) float tiles[];
  auto As = reinterpret_cast<float(*)[BM][BK]>(tiles);                 // As[stage][row][k]
  auto Rs = reinterpret_cast<float(*)[BM][BK]>(&As[STAGES]);           // the small parts of As
  auto Bs = reinterpret_cast<float(*)[BN / 32][BK][32]>(&Rs[STAGES]);  // Bs[stage][box][k][col]
  auto full = reinterpret_cast<Mbarrier*>(&Bs[STAGES]);  // [stage]: the copies have arrived
  auto ready = full + STAGES;                            // [stage]: Rs is complete
  auto empty = ready + STAGES;                           // [stage]: no thread reads it any more
  int thread = threadIdx.x;
  int warp = thread / 32;
  int lane = thread % 32;
  int first_row = blockIdx.y * BM;
  int first_col = blockIdx.x * BN;
  int k_tiles = (K + BK - 1) / BK;

  if (thread == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      init(full[stage], 1);
      init(ready[stage], SPLITTERS);
      init(empty[stage], GROUPS * 128);
    }
    show_to_units();
  }
  __syncthreads();  // the mbarriers are initialised (read after write)

  if (warp < 4) {
    if constexpr (GROUPS > 1) {
      // These warps need few registers; the others get them.
      asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    }
    if (thread == 0) {
      for (int t = 0; t < k_tiles; ++t) {
        int stage = t % STAGES;
        wait(empty[stage], t / STAGES % 2 ^ 1);  // the first time, at once
        arrive_and_announce(full[stage], (BM + BN) * BK * 4);
        copy_box(As[stage][0], A, first_row, t * BK, full[stage]);
        for (int box = 0; box < BN / 32; ++box) {
          copy_box(Bs[stage][box][0], B, t * BK, first_col + box * 32, full[stage]);
        }
      }
    }
    if (warp == 1 || warp == 2) {
      for (int t = 0; t < k_tiles; ++t) {
        int stage = t % STAGES;
        wait(full[stage], t / STAGES % 2);
        // The small part of an element is stored at the same place in Rs: no index is needed.
        auto from = reinterpret_cast<const float4*>(As[stage]);
        auto to = reinterpret_cast<float4*>(Rs[stage]);
#pragma unroll 2
        for (int i = thread - 32; i < BM * BK / 4; i += SPLITTERS) {
          float4 x = from[i];
          to[i] = {small_part(x.x), small_part(x.y), small_part(x.z), small_part(x.w)};
        }
        show_to_units();
        arrive(ready[stage]);
      }
    }
  } else {
    if constexpr (GROUPS > 1) {
      asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    }
    int begin = (warp - 4) * 16 * HALVES;  // the warp's columns of the block's tile
    // The pair of 32 columns that a lane has, chosen so that the loads of the swizzled Bs
    // have no bank conflict.
    auto pair = [&](int half) {
      int piece = lane / 4 % 2 * 4 + lane / 16 + (begin % 32 / 16 + half) * 2;
      return piece * 4 + lane / 8 % 2 * 2;
    };
    float total[HALVES][BM / 2] = {};
#pragma unroll 1
    for (int t = 0; t < k_tiles; ++t) {
      int stage = t % STAGES;
      wait(full[stage], t / STAGES % 2);
#pragma unroll
      for (int half = 0; half < HALVES; ++half) {
        unsigned big[BK / 8][4];
        unsigned small[BK / 8][4];
#pragma unroll
        for (int k = 0; k < BK / 8; ++k) {
#pragma unroll
          for (int e = 0; e < 4; e += 2) {
            int row = k * 8 + lane % 4 + e * 2;
            int col = pair(half) ^ row % 8 * 4;
            float2 b = reinterpret_cast<const float2&>(Bs[stage][begin / 32][row][col]);
            split(b.x, big[k][e], small[k][e]);
            split(b.y, big[k][e + 1], small[k][e + 1]);
          }
        }
        float sum[BM / 2];
        begin_products();
        // The small parts of B with all of A: this needs nothing of Rs.
#pragma unroll
        for (int k = 0; k < BK / 8; ++k) {
          start_product<BM>(sum, small[k], descriptor(As[stage][0] + k * 8), k > 0);
        }
        if (half == 0) {
          wait(ready[stage], t / STAGES % 2);
        }
        // The big parts of B with the small ones of A.
#pragma unroll
        for (int k = 0; k < BK / 8; ++k) {
          start_product<BM>(sum, big[k], descriptor(Rs[stage][0] + k * 8), 1);
        }
        // And with the big ones, last: only these four sums are cut off at full size.
#pragma unroll
        for (int k = 0; k < BK / 8; ++k) {
          start_product<BM>(sum, big[k], descriptor(As[stage][0] + k * 8), 1);
        }
        finish_products();
        if (half == HALVES - 1) {
          arrive(empty[stage]);
        }
#pragma unroll
        for (int e = 0; e < BM / 2; ++e) {
          total[half][e] += sum[e];
        }
      }
    }
#pragma unroll
    for (int half = 0; half < HALVES; ++half) {
      int col = first_col + begin / 32 * 32 + pair(half);
#pragma unroll
      for (int e = 0; e < BM / 2; e += e % 2 == 0 ? 1 : 3) {
        int row = first_row + e / 4 * 8 + lane % 4 * 2 + e % 2;
        if (row < M && col < N) {
          reinterpret_cast<float2&>(C[row * N + col]) = {total[half][e], total[half][e + 2]};
        }
      }
    }
  }
}
