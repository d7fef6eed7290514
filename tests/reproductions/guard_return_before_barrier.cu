__global__ void f(int* a) {
  __shared__ int s[64];
  if (threadIdx.x >= 50) return;
  s[threadIdx.x] = 1;
  __syncthreads();
  a[threadIdx.x] = s[threadIdx.x ^ 1];
}
