// A barrier with a count of its own counts arriving threads: an H100 waits forever.
__global__ void f(int* a) {
  if (threadIdx.x >= 32) return;
  asm volatile("bar.sync 1, 64;");
  a[threadIdx.x] = 1;
}
