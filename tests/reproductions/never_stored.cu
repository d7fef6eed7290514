// 32 threads for 64 elements.
__global__ void f(const float* a, float* c) {
  c[threadIdx.x] = a[threadIdx.x];
}
