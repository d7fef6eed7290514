// The peak rates of a GPU, one kernel for each ceiling of the roofline. Each repeats one operation
// as often as it can and adds up the results, so that no compiler may remove it.
//
// Not in the catalog: `tilestep ceilings` times them.

// data: count elements, read `passes` times by the whole grid; past L1 (ld.global.cg), so that what
// is measured is L2 where the data fit it, and DRAM where they do not.
extern "C" __global__ void ceiling_reads(const float4* data, unsigned count, int passes,
                                         float* out) {
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned stride = gridDim.x * blockDim.x;
  float sum = 0.0f;
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 4
    for (unsigned i = first; i < count; i += stride) {
      const float4 v = __ldcg(&data[i]);
      sum += v.x + v.y + v.z + v.w;
    }
  }
  if (sum == 1.0f) {  // data are 0: never
    *out = sum;
  }
}

// Every warp reads 32 neighbouring words at once: one wavefront, no conflict.
extern "C" __global__ void ceiling_shared(float* out, int rounds) {
  __shared__ float cells[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
    cells[i] = 0.0f;
  }
  __syncthreads();  // no thread reads before all is written (read after write)
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round) {
    // Another place in each round: the compiler may execute a repeated load only once.
    const float* row = &cells[(round & 31) * 32 + threadIdx.x % 32];
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      sum += row[i * 32];
    }
  }
  if (sum == 1.0f) {
    *out = sum;
  }
}

// Eight sums that do not wait for each other; a and b are 1 and 0.
extern "C" __global__ void ceiling_ffma(float* out, float a, float b, int rounds) {
  float sums[8];
  for (int i = 0; i < 8; ++i) {
    sums[i] = b + i;
  }
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int step = 0; step < 16; ++step) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        sums[i] = fmaf(sums[i], a, b);
      }
    }
  }
  float sum = 0.0f;
  for (int i = 0; i < 8; ++i) {
    sum += sums[i];
  }
  if (sum == 1.0f) {  // it is 28
    *out = sum;
  }
}
