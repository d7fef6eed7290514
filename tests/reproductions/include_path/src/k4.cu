#include <h.h>
__global__ void f(int* a) { a[threadIdx.x] = twice(threadIdx.x); }
