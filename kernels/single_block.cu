// single_block: one block multiplies two small square matrices straight from global memory.
//
// The idea       As many threads as C has elements. Each walks a row of A and a column of B and
//                adds up MatrixSize products.
// Changed since  – (the very beginning)
// Thread → data  thread (x, y) of the only block computes C[row = y][col = x]
// Costs          2·MatrixSize global loads for each element of C. Neighbours read the same row or
//                the same column again: each element of A and of B is read MatrixSize times.

struct Matrix {
  int width;        // columns
  int height;       // rows
  float* elements;  // height×width, row-major
};

// A: M×K    B: K×N    C: M×N    M = N = K = MatrixSize
template <int MatrixSize>
__global__ void matmul_single_block(Matrix A, Matrix B, Matrix C) {
  int row = threadIdx.y;
  int col = threadIdx.x;
  float Cvalue = 0.0f;
  for (int e = 0; e < MatrixSize; ++e) {
    Cvalue += A.elements[row * MatrixSize + e] * B.elements[e * MatrixSize + col];
  }
  C.elements[row * MatrixSize + col] = Cvalue;
}
