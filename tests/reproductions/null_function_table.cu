typedef int (*op)(int);
__device__ op table[2];
__global__ void f(int* a) { a[threadIdx.x] = table[threadIdx.x % 2](3); }
