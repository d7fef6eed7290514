// The barrier counts to 96 threads, the block has 64.
__global__ void k(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  asm volatile("bar.sync 1, 96;" ::: "memory");
  out[t] = s[63 - t];
}
