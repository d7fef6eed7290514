__global__ void k(float* A) {
  /* ∞ ü */ A[0] = foo;
}
