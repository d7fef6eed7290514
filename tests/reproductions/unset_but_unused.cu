// Both ifs hold for the same threads, so v is set wherever it is used.
__global__ void f(const float* a, float* c) {
  float v;
  if (threadIdx.x < 16) {
    v = a[threadIdx.x];
  }
  float w = 0;
  if (threadIdx.x < 16) {
    w = v;
  }
  c[threadIdx.x] = w;
}
