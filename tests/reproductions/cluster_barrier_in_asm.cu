__global__ void f(int* a) { asm volatile("barrier.cluster.arrive;" ::: "memory"); a[0] = 1; }
