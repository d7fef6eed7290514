// Atomic operations, fences, module variables, extern shared memory.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
__device__ unsigned long long counter;
__device__ int table[4] = {1, 2, 3, 4};
__constant__ float coef[8] = {1.f, 2.f, 3.f};
extern __shared__ float dyn[];
extern "C" __global__ void k(int* p, unsigned* u, float* f, double* d, unsigned long long* l,
                             int n) {
  __shared__ int s[32];
  __shared__ unsigned su[4];
  int i = threadIdx.x;
  s[i] = 0;
  __syncthreads();
  atomicAdd(&s[i % 4], p[i]);
  atomicAdd(f, 1.5f);
  atomicAdd(d, 2.5);
  atomicAdd(u, 3u);
  atomicAdd(&counter, 5ull);
  p[0] = atomicSub(p + 1, 2);
  atomicMin(p + 2, i);
  atomicMax(p + 3, i);
  atomicInc(u + 1, 7);
  atomicDec(u + 2, 7);
  p[4] = atomicCAS(p + 4, 1, 2);
  atomicExch(p + 5, 9);
  atomicExch(f + 3, 9.f);
  atomicAnd(p + 6, 3);
  atomicOr(p + 7, 3);
  atomicXor(p + 8, 5);
  l[0] = atomicCAS(l, 1ull, 2ull);
  atomicMin(l + 1, 5ull);
  atomicAdd_block(p + 9, 1);
  atomicAdd_system(p + 10, 1);
  su[i % 4] = atomicAdd(&su[0], 1u);
  dyn[i] = coef[i % 8] * table[i % 4];
  __syncthreads();
  f[i] = dyn[n - i];
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  u[5] = atomicCAS((unsigned short*)u, 1, 2);
}
