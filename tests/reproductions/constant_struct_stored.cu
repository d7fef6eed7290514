__constant__ int c[8];
__constant__ struct { int x; float y[3]; } s;
__global__ void f(int* a) { a[0] = 1; s.y[1] = 3; if (threadIdx.x == 2) c[3] = a[1]; }
