// An H100 waits forever here: the compiler unrolls the loop, and the copies' barriers differ.
__global__ void f(int* a) {
  for (int i = 0; i < threadIdx.x; ++i) {
    a[threadIdx.x] += i;
    __syncthreads();
  }
}
