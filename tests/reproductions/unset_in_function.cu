__device__ __noinline__ float twice(float x, bool much) {
  float y;
  if (much) {
    y = 2 * x;
  }
  return y;
}

__global__ void f(const float* a, float* c) {
  c[threadIdx.x] = twice(a[threadIdx.x], threadIdx.x > 3);
}
