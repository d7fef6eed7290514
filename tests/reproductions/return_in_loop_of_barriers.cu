__global__ void f(int* a) {
  __shared__ int s[64];
  for (int i = 0; i < 4; ++i) {
    if (i > threadIdx.x % 4) return;
    s[threadIdx.x] = i;
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x];
  }
}
