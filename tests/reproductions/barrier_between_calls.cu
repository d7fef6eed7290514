// One function, called at two places, has two barriers: leaving between them leaves no loop.
__device__ __noinline__ void all() { __syncthreads(); }
__global__ void f(int* a) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  all();
  if (t >= 50) return;
  int v = s[t ^ 1];
  all();
  a[t] = v;
}
