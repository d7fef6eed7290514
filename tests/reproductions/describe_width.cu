__global__ void product(float* M, float* N, float* P, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < width && col < width) {
    float sum = 0.0f;
    for (int i = 0; i < width; ++i) sum += M[row * width + i] * N[i * width + col];
    P[row * width + col] = sum;
  }
}
