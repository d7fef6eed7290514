__global__ void f(int* a) {
  if (threadIdx.x >= 32) { a[threadIdx.x] = 9; return; }
  __syncthreads();
  a[threadIdx.x] = 7;
}
