// A thread has several columns.
#define TILE_WIDTH 16
#define COARSE_FACTOR 4
__global__ void coarse(float* M, float* N, float* P, int width) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int row = by * TILE_WIDTH + ty;
  int colStart = bx * TILE_WIDTH * COARSE_FACTOR + tx;
  float Pv[COARSE_FACTOR];
  for (int c = 0; c < COARSE_FACTOR; ++c) Pv[c] = 0.0f;
  for (int ph = 0; ph < width / TILE_WIDTH; ++ph) {
    Mds[ty][tx] = M[row * width + ph * TILE_WIDTH + tx];
    for (int c = 0; c < COARSE_FACTOR; ++c) {
      int col = colStart + c * TILE_WIDTH;
      Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * width + col];
      __syncthreads();
      for (int k = 0; k < TILE_WIDTH; ++k) Pv[c] += Mds[ty][k] * Nds[k][tx];
      __syncthreads();
    }
  }
  for (int c = 0; c < COARSE_FACTOR; ++c) P[row * width + colStart + c * TILE_WIDTH] = Pv[c];
}
