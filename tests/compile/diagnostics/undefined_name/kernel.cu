template <int BLOCK_SIZE>
__global__ void k(float* A) {
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
	As[threadIdx.y][threadIdx.x] = foo;
  A[0] = bar(As[0][0]) + "text";
}
