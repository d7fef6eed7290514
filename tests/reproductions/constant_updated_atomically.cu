__constant__ int c[8];
__global__ void f(int* a) { atomicAdd(&c[threadIdx.x], 1); }
