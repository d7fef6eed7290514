// A slip: the 3 of the example is in place of the matrix's size.
struct Matrix {
  int width;        // columns
  int height;       // rows
  float* elements;  // height×width, row-major
};

// A: M×K    B: K×N    C: M×N    M = N = K = MatrixSize
template <int MatrixSize>
__global__ void lab2_shared(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[MatrixSize][MatrixSize];
  __shared__ float Bs[MatrixSize][MatrixSize];
  int row = threadIdx.y;
  int col = threadIdx.x;
  As[row][col] = A.elements[row * 3 + col];
  Bs[row][col] = B.elements[row * 3 + col];
  __syncthreads();  // nobody multiplies before both matrices are there (read after write)

  float Cvalue = 0.0f;
  for (int e = 0; e < MatrixSize; ++e) {
    Cvalue += As[row][e] * Bs[e][col];
  }
  C.elements[row * MatrixSize + col] = Cvalue;
}
