// i - 1 wraps around where i is 0: 64 bits are no cure.
__global__ void k(const int* in, int* out) {
  unsigned i = threadIdx.x;
  out[i] = in[i - 1];
}
