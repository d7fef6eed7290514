__global__ void k(float* A) {
  __shared__ float As[1 << 30];
  As[threadIdx.x] = A[0];
  A[1] = As[2];
}
