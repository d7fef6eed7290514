__global__ void f(int* a) { if (a[0] < 3) { a[0]++; f<<<1, 1>>>(a); cudaDeviceSynchronize(); } }
