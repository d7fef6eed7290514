// cp.async through cuda_pipeline.h.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
#include <cuda_pipeline.h>
extern "C" __global__ void k(const float4* g, float* o, int n) {
  __shared__ float4 s[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], g + t, 16);
  __pipeline_memcpy_async((float*)&s[1][t], (const float*)g + t, 4);
  __pipeline_memcpy_async((float2*)&s[1][t], (const float2*)g + t, 8, n);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __pipeline_wait_prior(0);
  __syncthreads();
  o[t] = s[0][63 - t].x;
}
