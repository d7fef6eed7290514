// Parameters: unnamed, constant in the parameter area, modified, and only read by address.
struct In {
  int a;
  short b[3];
};
struct Big {
  double d;
  In in[2];
  const float* p;
  char c;
};
__global__ void parameters(int, const Big big, float*, const __grid_constant__ Big fixed, bool f,
                           unsigned char u, float* out, int steps) {
  for (; steps > 0; --steps) {
    out += steps;
  }
  out[0] = big.d + fixed.in[1].b[2] + f + u;
}
