__global__ void f(float* a, float* c) {
  c[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = 0;
}
