// The first value of a CAS loop is read plainly, while others of the warp may already exchange it.
__device__ double atomicMaxD(double* p, double v) {
  unsigned long long* q = (unsigned long long*)p;
  unsigned long long old = *q, assumed;
  do {
    assumed = old;
    if (__longlong_as_double(assumed) >= v)
      break;
    old = atomicCAS(q, assumed, __double_as_longlong(v));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__global__ void cas_loop(const long long* in, unsigned long long* sum, long long* mx, double* dm) {
  __shared__ unsigned long long s;
  __shared__ double d;
  int t = threadIdx.x;
  if (t == 0) {
    s = 0;
    d = -1;
  }
  __syncthreads();
  atomicAdd(&s, (unsigned long long)in[blockIdx.x * 64 + t]);
  atomicMaxD(&d, (double)in[blockIdx.x * 64 + t]);
  atomicMax(mx, in[blockIdx.x * 64 + t]);
  __syncthreads();
  if (t == 0) {
    atomicAdd(sum, s);
    dm[blockIdx.x] = d;
  }
}
