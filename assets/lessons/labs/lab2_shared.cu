// lab2_shared: fill shared memory, one element per thread, and let no thread multiply too early.
//
// The idea       Neighbours need what a thread has read. So every thread loads one element of A and
//                one of B, and all threads multiply from shared memory.
// Thread → data  thread (x, y) of the only block loads As[y][x] and Bs[y][x] and computes
//                C[row = y][col = x]

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
  // TODO 1: load this thread's element of A into As, and its element of B into Bs

  // TODO 2: no thread multiplies before both are complete

  float Cvalue = 0.0f;
  for (int e = 0; e < MatrixSize; ++e) {
    Cvalue += As[row][e] * Bs[e][col];
  }
  C.elements[row * MatrixSize + col] = Cvalue;
}
