__global__ void f(int* a) {
  if (threadIdx.x % 2 == 0)
    __syncthreads();
  a[threadIdx.x] = 7;
}
