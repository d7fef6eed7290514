__global__ void f(const int* a, int* c) {
  int n = threadIdx.x % 4;
  c[threadIdx.x] = a[threadIdx.x] % n;
}
