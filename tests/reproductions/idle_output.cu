// Nobody stores out2.
__global__ void k(const int* in, int* out, int* out2) {
  int t = threadIdx.x;
  out[t] = in[t];
  if (t > 64) out2[t] = 1;
}
