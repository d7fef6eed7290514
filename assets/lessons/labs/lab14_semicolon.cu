// Lab 14, repair 1: the first listing of a text, as printed. One block, one thread per element.
//
// It does not compile. Fix that, then let it multiply N×N matrices as the text says, not only
// 3×3.

struct Matrix {
  int width;        // columns
  int height;       // rows
  float* elements;  // height×width, row-major
};

// Matrix multiplication kernel called by MatMul()
__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) {
  // Each thread computes one element of C
  // by accumulating results into Cvalue
  const int MatrixSize = 3;
  float Cvalue = 0;
  int row = threadIdx.y;
  int col = threadIdx.x;
  for (int e = 0; e < MatrixSize; ++e)
    Cvalue += A.elements[row * MatrixSize; + e] * B.elements[e * MatrixSize + col];
  C.elements[row * MatrixSize + col] = Cvalue;
}
