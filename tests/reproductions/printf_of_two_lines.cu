__global__ void k(float* out) {
  if (threadIdx.x == 1) { printf("one\ntwo %d\n", 2); }
  if (threadIdx.x < 2) { out[threadIdx.x] = 1; }
}
