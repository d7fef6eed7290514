// submatrix_bounded: the sub-matrix kernel for any size.
//
// The idea       A sub-matrix at an edge is cut: its width and height say how much of it lies in
//                the matrix. Reading beyond gives 0, writing beyond does nothing, and the kernel
//                itself needs no comparison.
// Changed since  submatrix: GetSubMatrix cuts, GetElement and SetElement compare, and the loop
//                rounds up.
// Thread → data  thread (col, row) of block (x, y) computes element (row, col) of the sub-matrix
//                (y, x) of C
// Costs          as submatrix, and two comparisons for each access

struct Matrix {
  int width;        // columns
  int height;       // rows
  int stride;       // elements from one row to the next
  float* elements;  // height×width, row-major with `stride`
};

__device__ float GetElement(const Matrix A, int row, int col) {
  return row < A.height && col < A.width ? A.elements[row * A.stride + col] : 0.0f;
}

__device__ void SetElement(Matrix A, int row, int col, float value) {
  if (row < A.height && col < A.width) {
    A.elements[row * A.stride + col] = value;
  }
}

// The sub-matrix that is `row` sub-matrices down and `col` to the right: BLOCK_SIZE×BLOCK_SIZE, or
// what of it is inside the matrix.
template <int BLOCK_SIZE>
__device__ Matrix GetSubMatrix(Matrix A, int row, int col) {
  Matrix sub;
  sub.width = min(BLOCK_SIZE, A.width - BLOCK_SIZE * col);
  sub.height = min(BLOCK_SIZE, A.height - BLOCK_SIZE * row);
  sub.stride = A.stride;
  sub.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
  return sub;
}

// A: M×K    B: K×N    C: M×N    any M, N, K
template <int BLOCK_SIZE>
__global__ void matmul_submatrix_bounded(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
  int block_row = blockIdx.y;
  int block_col = blockIdx.x;
  int row = threadIdx.y;
  int col = threadIdx.x;
  Matrix Csub = GetSubMatrix<BLOCK_SIZE>(C, block_row, block_col);
  float Cvalue = 0.0f;
  for (int m = 0; m < (A.width + BLOCK_SIZE - 1) / BLOCK_SIZE; ++m) {
    Matrix Asub = GetSubMatrix<BLOCK_SIZE>(A, block_row, m);
    Matrix Bsub = GetSubMatrix<BLOCK_SIZE>(B, m, block_col);
    As[row][col] = GetElement(Asub, row, col);
    Bs[row][col] = GetElement(Bsub, row, col);
    __syncthreads();  // no thread multiplies before both sub-matrices are loaded (read after write)
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      Cvalue += As[row][e] * Bs[e][col];
    }
    __syncthreads();  // no thread loads over sub-matrices still in use (write after read)
  }
  SetElement(Csub, row, col, Cvalue);
}
