// single_block_ktiles: a wide A times a tall B, sub-matrix by sub-matrix, with one block.
//
// The idea       Cut A into sub-matrices A1, A2, A3 side by side and B into B1, B2, B3 below each
//                other: then C = A1·B1 + A2·B2 + A3·B3. Shared memory holds one pair at a time.
// Changed since  single_block_shared: a loop over sub-matrices, and a second barrier.
// Thread → data  thread (x, y) of the only block loads As[y][x] and Bs[y][x] in each round and
//                computes C[row = y][col = x]
// Costs          2 global loads per thread and round: each element of A and B is read once. K may
//                be as large as you like; C still has to fit in one block.

struct Matrix {
  int width;        // columns
  int height;       // rows
  float* elements;  // height×width, row-major
};

// A: M×K    B: K×N    C: M×N    M and N at most SubMatrixSize, any K
template <int SubMatrixSize>
__global__ void matmul_single_block_ktiles(Matrix A, Matrix B, Matrix C) {
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
    __syncthreads();  // no thread multiplies before both sub-matrices are loaded (read after write)
    for (int e = 0; e < SubMatrixSize; ++e) {
      Cvalue += As[row][e] * Bs[e][col];
    }
    __syncthreads();  // no thread loads over sub-matrices still in use (write after read)
  }
  if (row < C.height && col < C.width) {
    C.elements[row * C.width + col] = Cvalue;
  }
}
