#define BODY(v) { a[threadIdx.x] = v; }
#define KERNEL(name, v) __global__ void name(int* a) BODY(v)
#define TWO KERNEL(f, 5) KERNEL(g, 6)
TWO
KERNEL(h, 7)
int main() { int* d; cudaMalloc(&d, 128); f<<<1, 32>>>(d); }
