// Lab 14, repair 2: the third listing of a text, as printed. One block, sub-matrices along K.
//
// Three typing mistakes keep it from compiling. Fix only them: at K = 3 it is then correct.

struct Matrix {
  int width;        // columns
  int height;       // rows
  float* elements;  // height×width, row-major
};

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) {
  // Each thread computes one element of C
  // by accumulating results into Cvalue
  const int SubMatrixSize = 3;
  float Cvalue = 0;
  int row = threadIdx.y;
  int col = threadIdx.x;
  __shared__ float As[SubMatrixSize][SubMatrixSize];
  __shared__ float Bs[SubMatrixSize][SubMatrixSize];
  for (int i = 0; i < A.width / SubMatrixSize ++i) {
    // read sub matrix
    As[row][col] = A.elements[row * A.width + i * SubMatrixSize + col];
    Bs[row][col] = B.elements[i * B.width * B.width + row * B.width + col];
    __syncthreads();
    for (int e = 0; e < MatrixSize; ++e)
      Cvalue += As[row][e] * Bs[e][col];
  }
  C.elements[row * MatrixSize + col] = Cvalue;
}
