// lab3_mend: two mistakes are left in this kernel. Find both.
//
// The idea       One block adds up the products of sub-matrices, so that K may be large: in each
//                round it loads a part of A and a part of B, and multiplies them.
// Thread → data  thread (x, y) of the only block loads As[y][x] and Bs[y][x] in each round and
//                computes C[row = y][col = x]

struct Matrix {
  int width;        // columns
  int height;       // rows
  float* elements;  // height×width, row-major
};

// A: M×K    B: K×N    C: M×N    M and N at most SubMatrixSize, any K
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
    int b_index = i * B.width * B.width + row * B.width + col;
    As[row][col] = row < A.height && a_col < A.width ? A.elements[row * A.width + a_col] : 0.0f;
    Bs[row][col] = b_row < B.height && col < B.width ? B.elements[b_index] : 0.0f;
    __syncthreads();  // no thread multiplies before both sub-matrices are loaded (read after write)
    for (int e = 0; e < SubMatrixSize; ++e) {
      Cvalue += As[row][e] * Bs[e][col];
    }
  }
  if (row < C.height && col < C.width) {
    C.elements[row * C.width + col] = Cvalue;
  }
}
