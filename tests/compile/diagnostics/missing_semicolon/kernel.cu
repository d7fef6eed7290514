__global__ void k(float* A) {
  A[0] = 1.0f
  A[1] = 2.0f;
}
