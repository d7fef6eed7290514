// Whole warps leave the loop: an H100 lets that pass.
__global__ void f(int* a) {
  for (int i = 0; i < (threadIdx.x >= 32 ? 20 : 3); ++i) {
    a[threadIdx.x] += i;
    __syncthreads();
  }
}
