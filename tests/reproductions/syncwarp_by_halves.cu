// Each half of the warp waits for itself alone, and reads what the other half has stored.
__global__ void k(const int* in, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncwarp(t < 16 ? 0xffffu : 0xffff0000u);
  out[t] = s[t ^ 16];
}
