struct Matrix {
  int width;        // columns
  int height;       // rows
  float* elements;  // height×width, row-major
};

template <int SubMatrixSize>
__global__ void lab3_mend(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[SubMatrixSize][SubMatrixSize];
  __shared__ float Bs[SubMatrixSize][SubMatrixSize];
  int row = threadIdx.y;
  int col = threadIdx.x;
  float Cvalue = 0.0f;
  for (int i = 0; i < (A.width + SubMatrixSize - 1) / SubMatrixSize; ++i) {
    int a_col = i * SubMatrixSize + col;
    int b_row = i * SubMatrixSize + row;
    int b_index = i * SubMatrixSize * B.width + row * B.width + col;
    As[row][col] = row < A.height && a_col < A.width ? A.elements[row * A.width + a_col] : 0.0f;
    Bs[row][col] = b_row < B.height && col < B.width ? B.elements[b_index] : 0.0f;
    __syncthreads();  // no thread multiplies before both sub-matrices are loaded
    for (int e = 0; e < SubMatrixSize; ++e) {
      Cvalue += As[row][e] * Bs[e][col];
    }
    __syncthreads();  // no thread loads over sub-matrices still in use
  }
  if (row < C.height && col < C.width) {
    C.elements[row * C.width + col] = Cvalue;
  }
}
