// The second warp has 8 threads: its lane 16 has no thread.
__global__ void k(const int* in, int* out) {
  int t = threadIdx.x;
  int other = __shfl_down_sync(0xffffffffu, in[t], 16);
  if (t % 32 == 0) out[t / 32] = other;
}
