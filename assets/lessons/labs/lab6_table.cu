// lab6_table: eight predictions, each compared with what is counted.
//
// The idea       The kernel is naive. Besides C, thread (0,0) of block (0,0) writes a table of
//                formulas: how many numbers do the kernels of this lesson load and store?
// Thread → data  thread (x, y) of block (X, Y) computes C[Y·blockDim.y + y][X·blockDim.x + x]

__device__ int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

__device__ void predict(int* table, int M, int N, int K, int BLOCK_SIZE) {
  // naive: loads of A, loads of B
  table[0] = 0;  // TODO 1
  table[1] = 0;  // TODO 2
  // a row of A in shared memory, one block for each row of C: loads of A, loads of B
  table[2] = 0;  // TODO 3
  table[3] = 0;  // TODO 4
  // tiles of BLOCK_SIZE×BLOCK_SIZE: loads of A, loads of B
  table[4] = 0;  // TODO 5
  table[5] = 0;  // TODO 6
  // tiles: loads of shared memory, by all threads
  table[6] = 0;  // TODO 7
  // tiles, with the store of C inside the loop: stores of C
  table[7] = 0;  // TODO 8
}

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    table: 4×2
__global__ void lab6_table(const float* A, const float* B, float* C, int* table, int M, int N,
                           int K, int BLOCK_SIZE) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row == 0 && col == 0) {
    predict(table, M, N, K, BLOCK_SIZE);
  }
  if (row < M && col < N) {
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
      acc += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = acc;
  }
}
