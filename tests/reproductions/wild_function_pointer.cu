typedef int (*op)(int);
__global__ void f(int* a) { op p = (op)(a + 3); a[threadIdx.x] = p(3); }
