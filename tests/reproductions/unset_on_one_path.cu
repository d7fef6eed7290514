__global__ void f(const float* a, float* c) {
  float v;
  if (threadIdx.x < 16) {
    v = a[threadIdx.x];
  }
  c[threadIdx.x] = 2 * v;
}
