// The compiler keeps each of these arrays apart, because constants index them. Each races.
struct Pair {
  int a;
  float b[2];
};
struct Base {
  int q;
};
struct Derived : Base {
  float w;
};
struct Quad {
  char pad;
  double d;
  int v[4];
};
__shared__ float at_file[2];
namespace {
__shared__ int hidden[3];
}

__device__ float helper(int t, float v) {
  __shared__ float acc[2];
  if (t == 0) acc[1] = v;
  return acc[1] + v;
}

template <int W>
__global__ void names(const int* x, int* y) {
  __shared__ int sparse[8], grid[2][3];
  __shared__ Pair pair;
  __shared__ Derived derived;
  __shared__ Quad quads[2];
  __shared__ double lo_hi[W];
  int t = threadIdx.x;
  if (t == 0) sparse[5] = x[0];
  if (t == 0) grid[1][2] = x[1];
  if (t == 0) pair.b[1] = x[2];
  if (t == 0) derived.q = x[3];
  if (t == 0) quads[1].v[2] = x[4];
  if (t == 0) lo_hi[1] = x[5];
  if (t == 0) at_file[0] = x[6];
  if (t == 0) hidden[2] = x[7];
  float sum = sparse[5];
  sum += grid[1][2];
  sum += pair.b[1];
  sum += derived.q;
  sum += quads[1].v[2];
  sum += lo_hi[1];
  sum += at_file[0];
  sum += hidden[2];
  {
    __shared__ short sparse[2];
    if (t == 1) sparse[1] = x[9];
    sum += sparse[1];
  }
  y[t] = sum + helper(t, sum);
}
template __global__ void names<2>(const int*, int*);
