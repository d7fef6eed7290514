#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void f(int* a) {
  __shared__ int v[32]; __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) { v[threadIdx.x] = threadIdx.x; __syncwarp(); if (threadIdx.x == 0) { __threadfence_block(); atomicExch(&flag, 1); } }
  else { while (atomicAdd(&flag, 0) == 0); a[threadIdx.x] = v[threadIdx.x - 32]; }
}
