// single_block_shared: the block first loads A and B into shared memory, one element per thread.
//
// The idea       Neighbours need what a thread has read. So every thread loads one element of A and
//                one of B, and all threads multiply from shared memory.
// Changed since  single_block: As and Bs, and the barrier that they need.
// Thread → data  thread (x, y) of the only block loads As[y][x] and Bs[y][x] and computes
//                C[row = y][col = x]
// Costs          2 global loads for each element of C: each element of A and of B is read once;
//                2·MatrixSize shared loads for each element of C. Both matrices have to fit in
//                shared memory.

struct Matrix {
  int width;        // columns
  int height;       // rows
  float* elements;  // height×width, row-major
};

// A: M×K    B: K×N    C: M×N    M = N = K = MatrixSize
template <int MatrixSize>
__global__ void matmul_single_block_shared(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[MatrixSize][MatrixSize];
  __shared__ float Bs[MatrixSize][MatrixSize];
  int row = threadIdx.y;
  int col = threadIdx.x;
  As[row][col] = A.elements[row * MatrixSize + col];
  Bs[row][col] = B.elements[row * MatrixSize + col];
  __syncthreads();  // no thread multiplies before both matrices are loaded (read after write)
  float Cvalue = 0.0f;
  for (int e = 0; e < MatrixSize; ++e) {
    Cvalue += As[row][e] * Bs[e][col];
  }
  C.elements[row * MatrixSize + col] = Cvalue;
}
