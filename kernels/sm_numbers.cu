// sm_numbers: latencies and rates of one SM, for `tilestep clock --measure-gpu`.
//
// Every kernel notes the clock of each warp before and after its work, in out[warp]. Chains have one
// operation after the other, each with the result of the one before as its operand; rates have as
// many independent ones as fit. What one clock means is in app/clock/sm_measured.h.

struct WarpClocks {
  unsigned long long start;
  unsigned long long end;
  unsigned long long sm;
};

constexpr int kChain = 32;  // operations of a round, in all kernels but sm_lines

__device__ __forceinline__ unsigned long long clock_now() {
  unsigned long long clock;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
  return clock;
}

// out: a place for each warp of the launch
__device__ __forceinline__ void note(WarpClocks* out, unsigned long long start,
                                     unsigned long long end) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x % 32 == 0) {
    out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {start, end, sm};
  }
}

// Notes the clocks of `rounds` times `kOperations` calls of `operation`. `result`: what they made, so
// that the compiler keeps them; it is never all ones.
template <int kOperations = kChain, class Operation, class Result>
__device__ __forceinline__ void timed(WarpClocks* out, unsigned rounds, const Operation& operation,
                                      const Result& result) {
  const unsigned long long start = clock_now();
#pragma unroll 1
  for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
    for (int n = 0; n < kOperations; ++n) {
      operation(n);
    }
  }
  const unsigned long long end = clock_now();
  if (result() == 0xffffffffu) {
    out[0].sm = result();
  }
  note(out, start, end);
}

// The place of the next word in each word of data; the chain begins at 0. `steps`: before the clock
// is read.
extern "C" __global__ void sm_global_chain(WarpClocks* out, const unsigned* data, unsigned steps,
                                           unsigned rounds) {
  unsigned place = 0;
  for (unsigned i = 0; i < steps; ++i) {
    place = data[place];
  }
  place = place == 0xffffffffu ? 1 : 0;  // 0, which the compiler does not know
  timed(out, rounds, [&](int) { place = data[place]; }, [&] { return place; });
}

// Lane l reads word l · ways, which holds its own address: `ways` lanes want words of one bank.
extern "C" __global__ void sm_shared_chain(WarpClocks* out, const unsigned* data, unsigned ways,
                                           unsigned rounds) {
  __shared__ unsigned words[1024];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(words));
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {
    words[i] = base + 4 * i;
  }
  __syncthreads();  // no warp follows an address before it is written
  unsigned address = base + 4 * (threadIdx.x % 32) * ways;
  timed(
      out, rounds, [&](int) { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address)::"memory"); },
      [&] { return address; });
}

// Eight independent loads without conflicts at a time.
extern "C" __global__ void sm_shared_rate(WarpClocks* out, const unsigned* data, unsigned unused,
                                          unsigned rounds) {
  __shared__ unsigned words[32];
  words[threadIdx.x % 32] = 0;
  __syncthreads();  // no warp reads a word before it is written
  const unsigned address =
      static_cast<unsigned>(__cvta_generic_to_shared(words)) + 4 * (threadIdx.x % 32);
  unsigned sum = 0;
  const auto eight = [&](int) {
    unsigned word[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word[k]) : "r"(address) : "memory");
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      sum += word[k];
    }
  };
  timed<kChain / 8>(out, rounds, eight, [&] { return sum; });
}

__constant__ unsigned constant_zero[64];

// Each word is the distance in bytes to the next one: 0.
extern "C" __global__ void sm_constant_chain(WarpClocks* out, const unsigned* data,
                                             unsigned unused, unsigned rounds) {
  const char* const table = reinterpret_cast<const char*>(constant_zero);
  unsigned place = threadIdx.x == 99 ? 4 : 0;
  timed(
      out, rounds, [&](int) { place = *reinterpret_cast<const unsigned*>(table + place); },
      [&] { return place; });
}

extern "C" __global__ void sm_special_chain(WarpClocks* out, const unsigned* data, unsigned unused,
                                            unsigned rounds) {
  float x = 0.25f + static_cast<float>(threadIdx.x);
  timed(
      out, rounds, [&](int) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)); },
      [&] { return __float_as_uint(x); });
}

extern "C" __global__ void sm_barriers(WarpClocks* out, const unsigned* data, unsigned unused,
                                       unsigned rounds) {
  __syncthreads();  // all warps begin together
  timed(
      out, rounds, [](int) { asm volatile("bar.sync 0;" ::: "memory"); }, [] { return 0u; });
}

// Four independent requests at a time, at places of their own, of data with mask + 1 words (zeros).
// The lanes of a request read from `lines` lines, a sector of each if there are four.
extern "C" __global__ void sm_lines(WarpClocks* out, const unsigned* data, unsigned mask,
                                    unsigned lines) {
  constexpr unsigned kRounds = 100;
  const unsigned lane = threadIdx.x % 32;
  const unsigned in_line = 32 / lines;
  unsigned of_lane = lane / in_line * 1024 + lane % in_line;
  asm volatile("" : "+r"(of_lane));  // known before the clock is read
  unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 2654435761u;
  unsigned sum = 0;
  const auto four = [&](int) {
    unsigned word[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      x = x * 1664525u + 1013904223u;
      const unsigned at = ((x >> 4) * 32 + of_lane) & mask;
      asm volatile("ld.global.u32 %0, [%1];" : "=r"(word[k]) : "l"(data + at) : "memory");
    }
    x += word[0] + word[1] + word[2] + word[3];
    sum += x;
  };
  __syncthreads();  // all warps begin together
  timed<1>(out, kRounds, four, [&] { return sum; });
}

// Four independent chains of a warp. A frame of its own: through timed() the compiler orders them
// otherwise.
template <class Operation>
__device__ __forceinline__ void arithmetic(WarpClocks* out, unsigned rounds,
                                           const Operation& operation) {
  unsigned value[4] = {threadIdx.x + 1, threadIdx.x + 2, threadIdx.x + 3, threadIdx.x + 4};
  const unsigned other = threadIdx.x + rounds;
  __syncthreads();  // all warps begin together
  const unsigned long long start = clock_now();
#pragma unroll 1
  for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
    for (int n = 0; n < kChain; ++n) {
      operation(value[n % 4], other);
    }
  }
  const unsigned long long end = clock_now();
  if ((value[0] ^ value[1] ^ value[2] ^ value[3]) == 0xffffffffu) {
    out[0].sm = value[0];
  }
  note(out, start, end);
}

extern "C" __global__ void sm_ffma(WarpClocks* out, const unsigned* data, unsigned unused,
                                   unsigned rounds) {
  arithmetic(out, rounds, [](unsigned& value, unsigned) {
    asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+r"(value));
  });
}

extern "C" __global__ void sm_imad(WarpClocks* out, const unsigned* data, unsigned unused,
                                   unsigned rounds) {
  arithmetic(out, rounds, [](unsigned& value, unsigned other) {
    asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(value) : "r"(other));
  });
}

extern "C" __global__ void sm_shift(WarpClocks* out, const unsigned* data, unsigned unused,
                                    unsigned rounds) {
  arithmetic(out, rounds, [](unsigned& value, unsigned other) {
    asm volatile("shf.l.wrap.b32 %0, %0, %0, %1;" : "+r"(value) : "r"(other));
  });
}
