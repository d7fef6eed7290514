template <int BLOCK_SIZE>
__global__ void matmul_tiled(float* A) {
  A[0] = BLOCK_SIZE;
}
