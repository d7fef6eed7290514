// cudaLaunchKernel, and sizes called rows, inner and cols.
constexpr int TILE = 16;
__global__ void mm(const float* x, const float* w, float* y, int rows, int inner, int cols) {
  __shared__ float xs[TILE][TILE], ws[TILE][TILE + 1];
  int r = blockIdx.y * TILE + threadIdx.y, c = blockIdx.x * TILE + threadIdx.x;
  float acc = 0.f;
  for (int t = 0; t < inner; t += TILE) {
    xs[threadIdx.y][threadIdx.x] = r < rows && t + threadIdx.x < inner ? x[r * inner + t + threadIdx.x] : 0.f;
    ws[threadIdx.y][threadIdx.x] = c < cols && t + threadIdx.y < inner ? w[(t + threadIdx.y) * cols + c] : 0.f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) acc += xs[threadIdx.y][i] * ws[i][threadIdx.x];
    __syncthreads();
  }
  if (r < rows && c < cols) y[r * cols + c] = acc;
}
void go(const float* x, const float* w, float* y, int rows, int inner, int cols) {
  dim3 block(TILE, TILE), grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  void* args[] = {&x, &w, &y, &rows, &inner, &cols};
  cudaLaunchKernel((const void*)mm, grid, block, args, 0, 0);
}
