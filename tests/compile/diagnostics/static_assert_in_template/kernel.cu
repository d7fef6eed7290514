template <int BLOCK_SIZE>
__global__ void k(float* A) {
  static_assert(BLOCK_SIZE % 2 == 0, "BLOCK_SIZE must be even");
  A[0] = BLOCK_SIZE;
}
