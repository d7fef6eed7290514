// A bit-field is stored by loading its whole word first: nobody has used its former contents.
struct Bits {
  unsigned a : 3, b : 29;
};
__global__ void k(const int* in, int* out) {
  __shared__ Bits bits[32];
  int t = threadIdx.x;
  bits[t].a = t & 7;
  bits[t].b = in[t];
  __syncthreads();
  out[t] = bits[31 - t].b + bits[31 - t].a;
}
