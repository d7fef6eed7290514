// Not a product: two inputs are indices.
__global__ void spmv_csr(int num_rows, const int* ptr, const int* indices, const float* data, const float* x, float* y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < num_rows) {
    float dot = 0;
    for (int jj = ptr[row]; jj < ptr[row + 1]; jj++) dot += data[jj] * x[indices[jj]];
    y[row] = dot;
  }
}
