// single_block_ktiles_missing_barrier: BROKEN ON PURPOSE. One barrier per round is not enough.
//
// The idea       BROKEN: nothing keeps a fast thread from loading the next pair of sub-matrices
//                over the one that a slow thread still multiplies.
// Changed since  single_block_ktiles: the barrier after the inner loop is gone.
// Thread → data  thread (x, y) of the only block loads As[y][x] and Bs[y][x] in each round and
//                computes C[row = y][col = x]
// Costs          as single_block_ktiles, less one barrier per round

struct Matrix {
  int width;        // columns
  int height;       // rows
  float* elements;  // height×width, row-major
};

// A: M×K    B: K×N    C: M×N    M and N at most SubMatrixSize, any K
template <int SubMatrixSize>
__global__ void matmul_single_block_ktiles_missing_barrier(Matrix A, Matrix B, Matrix C) {
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
    // missing: __syncthreads(), which keeps the next load off matrices in use (write after read)
  }
  if (row < C.height && col < C.width) {
    C.elements[row * C.width + col] = Cvalue;
  }
}
