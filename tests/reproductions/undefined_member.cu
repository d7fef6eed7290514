extern __device__ int g(int x);
__device__ void h(int* p, float v);
struct S { __device__ int m(int x) const; };
__global__ void f(int* a) { S s; a[threadIdx.x] = s.m(2); h(a, 1.f); }
