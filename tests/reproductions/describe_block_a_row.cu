// matrix-vector
__global__ void gemv(const float* A, const float* x, float* y, int rows, int cols) {
  __shared__ float partial[128];
  float s = 0;
  for (int j = threadIdx.x; j < cols; j += blockDim.x) s += A[blockIdx.x * cols + j] * x[j];
  partial[threadIdx.x] = s;
  __syncthreads();
  for (int h = blockDim.x / 2; h > 0; h /= 2) {
    if (threadIdx.x < h) partial[threadIdx.x] += partial[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = partial[0];
}
