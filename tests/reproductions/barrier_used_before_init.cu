#include <cuda/barrier>
__global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  s[threadIdx.x] = in[threadIdx.x];
  bar.arrive_and_wait();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
