// Two barriers in a loop of a run-time count: an H100 waits forever.
__global__ void f(int* a) {
  __shared__ int s[64];
  int t = threadIdx.x, n = 50 + a[t];
  s[t] = 0;
  for (int i = 0; i < n; ++i) {
    s[t] += i;
    __syncthreads();
    a[t] += s[t ^ 1];
    __syncthreads();
    if (i == t) return;
  }
}
