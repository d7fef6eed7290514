#include <cuda_runtime.h>
#include "a.h"
#ifndef TILE
#define TILE 16
#endif
#define KERNEL(name) __global__ void name(float* a) { a[0] = 1; }
KERNEL(one)
#define CHECK(x) do { if (x) exit(1); } while (0)
namespace ns { template <typename T, int B = 4> struct Matrix { int w; T* data; __host__ __device__ T get(int i) const { return data[i]; } };
template <int B> __global__ void __launch_bounds__(256) k(const float* __restrict__ A, const float *B_, float* C, int M, int N, int K, float alpha) {
  __shared__ float As[B][B + 1]; extern __shared__ int s[]; int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) C[i] = alpha * A[i]; __syncthreads(); }
template __global__ void k<8>(const float*, const float*, float*, int, int, int, float); }
__device__ __constant__ float table[4] = {1, 2};
static inline int host(int x) { return R"(a " b)"[x] + 'c'; }
int main() { dim3 grid((N + 15) / TILE, 4), block(TILE, TILE); ns::k<TILE><<<grid, block, 4 * TILE, 0>>>(a, b, c, 1, 2, 3, 1.0f); CHECK(cudaGetLastError()); }
