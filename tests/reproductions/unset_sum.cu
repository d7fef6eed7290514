__global__ void f(const float* a, float* c) {
  float sum;
  for (int i = 0; i < 4; ++i) {
    sum += a[i];
  }
  c[threadIdx.x] = sum;
}
