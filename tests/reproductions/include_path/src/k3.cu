#include <h.h>
#include "/etc/hostname"
__global__ void f(int* a) { a[threadIdx.x] = twice(threadIdx.x); }
