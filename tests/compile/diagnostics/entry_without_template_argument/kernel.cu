template <int BLOCK_SIZE>
__global__ void k(float* A) {
  A[0] = BLOCK_SIZE;
}
