// Lambdas, operators, templates, initialised tables with pointers, odd control flow.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
namespace ns {
__device__ int counter = 5;
__constant__ double tab[3] = {1., 2.5, -3e-5};
struct P {
  float x, y;
  __device__ P operator+(const P& o) const { return {x + o.x, y + o.y}; }
  __device__ float operator()(float a) const { return a * x; }
  __device__ bool operator<(const P& o) const { return x < o.x; }
};
template <class T, int N>
struct Arr {
  T a[N];
  __device__ T& operator[](int i) { return a[i]; }
};
}  // namespace ns
namespace {
__device__ float hidden(float a) {
  return a + 1;
}
}  // namespace
template <class F>
__device__ void apply(float* o, F f) {
  for (int i = 0; i < 4; i++)
    o[i] = f(o[i]);
}
struct Cfg {
  const char* name;
  int v;
  float f;
  const int* p;
};
__device__ int gi[3] = {7, 8, 9};
__device__ Cfg cfgs[2] = {{"abc", 3, 1.5f, gi + 1}, {"de", 4, 2.f, gi}};
__constant__ char text[] = "a constant string";
__device__ double dtab[2][2] = {{1, 2}, {3, 4}};
template <int BS>
__global__ void k_of(float* o, ns::P p, __grid_constant__ const ns::Arr<float, 100> big, char c,
                     bool b, short s) {
  __shared__ ns::Arr<float, BS> arr;
  static __shared__ float st[4];
  float q = p.x;
  apply(o, [=](float v) { return v * q + hidden(v); });
  ns::P r = p + p;
  arr[threadIdx.x] = r(o[1]);
  __syncthreads();
  o[5] = arr[3] + big.a[(int)o[3]] + c + b + s + cfgs[(int)o[6]].v + cfgs[1].name[0] +
         text[(int)o[3]] + ns::tab[(int)o[2]] + ns::counter + (r < p) + dtab[(int)o[1]][1];
  st[0] = 3;
  if (o[30] > 0)
    goto end;
  while (true) {
    if (o[3] > 3)
      break;
    if (o[4] > 4)
      return;
    if (o[5] > 4)
      continue;
    o[4] += 1;
  }
  do {
    o[7] += 1;
  } while (o[7] < 3);
end:
  o[8] = b ? 1 : c ? 2 : 3;
  for (;;) {
    if (o[9] == (float)s) {
      o[9] = 2;
      __syncthreads();
    }
  }
}
