__global__ void f(int* a) { __shared__ unsigned long long b;
  unsigned p = (unsigned)__cvta_generic_to_shared(&b);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(p));
  if (threadIdx.x == 32) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(p));
  __syncthreads(); a[threadIdx.x] = 1; }
