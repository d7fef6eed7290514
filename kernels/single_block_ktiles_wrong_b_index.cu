// single_block_ktiles_wrong_b_index: BROKEN ON PURPOSE. The offset into B is wrong.
//
// The idea       BROKEN: round i starts i·SubMatrixSize rows down in B, which is i·SubMatrixSize·
//                B.width elements. Written as i·B.width·B.width it is correct by luck while B is
//                as wide as a sub-matrix (3×9 times 9×3 with 3×3 ones), and wrong otherwise.
// Changed since  single_block_ktiles: B.width instead of SubMatrixSize.
// Thread → data  thread (x, y) of the only block loads As[y][x] and Bs[y][x] in each round and
//                computes C[row = y][col = x]
// Costs          as single_block_ktiles

struct Matrix {
  int width;        // columns
  int height;       // rows
  float* elements;  // height×width, row-major
};

// A: M×K    B: K×N    C: M×N    M and N at most SubMatrixSize, any K
template <int SubMatrixSize>
__global__ void matmul_single_block_ktiles_wrong_b_index(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[SubMatrixSize][SubMatrixSize];
  __shared__ float Bs[SubMatrixSize][SubMatrixSize];
  int row = threadIdx.y;
  int col = threadIdx.x;
  float Cvalue = 0.0f;
  for (int i = 0; i < (A.width + SubMatrixSize - 1) / SubMatrixSize; ++i) {
    int a_col = i * SubMatrixSize + col;
    int b_row = i * SubMatrixSize + row;
    int b_index = i * B.width * B.width + row * B.width + col;  // wrong: the first factor
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
