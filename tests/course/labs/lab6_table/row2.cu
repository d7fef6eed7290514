// A slip: B, too, is thought to be read once.

__device__ int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

__device__ void predict(int* table, int M, int N, int K, int BLOCK_SIZE) {
  // naive: loads of A, loads of B
  table[0] = M * N * K;
  table[1] = M * N * K;
  // a row of A in shared memory, one block for each row of C: loads of A, loads of B
  table[2] = M * K;
  table[3] = K * N;
  // tiles of BLOCK_SIZE×BLOCK_SIZE: loads of A, loads of B
  table[4] = ceil_div(N, BLOCK_SIZE) * M * K;
  table[5] = ceil_div(M, BLOCK_SIZE) * K * N;
  // tiles: loads of shared memory, by all threads
  table[6] = 2 * BLOCK_SIZE * BLOCK_SIZE * BLOCK_SIZE * ceil_div(M, BLOCK_SIZE) *
             ceil_div(N, BLOCK_SIZE) * ceil_div(K, BLOCK_SIZE);
  // tiles, with the store of C inside the loop: stores of C
  table[7] = ceil_div(K, BLOCK_SIZE) * M * N;
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
