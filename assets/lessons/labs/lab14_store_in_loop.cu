// Lab 14, repair 7: a text's tiled kernel, as printed. C is correct in the end.
//
// How often is each element of C stored? Store it once.

#define TILE_WIDTH 16

// A: m×n, row-major    B: n×k, row-major    C: m×k, row-major
__global__ void MatrixMulKernle(int m, int n, int k, float* A, float* B, float* C) {
  __shared__ float ds_A[TILE_WIDTH][TILE_WIDTH];
  __shared__ float ds_B[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int Row = by * TILE_WIDTH + ty;
  int Col = bx * TILE_WIDTH + tx;
  float Cvalue = 0;
  for (int t = 0; t < (n - 1) / TILE_WIDTH + 1; ++t) {
    if (Row < m && t * TILE_WIDTH + tx < n)
      ds_A[tx][ty] = A[Row * n + t * TILE_WIDTH + tx];
    else
      ds_A[tx][ty] = 0.0;

    if (t * TILE_WIDTH + ty < n && Col < k)
      ds_B[tx][ty] = B[(t * TILE_WIDTH + ty) * k + Col];
    else
      ds_B[tx][ty] = 0.0;

    __syncthreads();  // all elements of the tiles are loaded

    for (int i = 0; i < TILE_WIDTH; ++i)
      Cvalue += ds_A[i][ty] * ds_B[tx][i];

    __syncthreads();  // all threads have done with the tiles

    if (Row < m && Col < k)
      C[Row * k + Col] = Cvalue;
  }
}
