// register_tile_vectorised: 4×4 elements of C per thread; every access is four floats wide.
//
// The idea       The tile of A is transposed as it is stored, so the four elements of As that a
//                thread needs are side by side. Then each step of the inner loop is two 128-bit
//                loads and 16 multiply-adds.
// Changed since  register_tile_2d: float4 for global and shared memory, As transposed, a thread's
//                elements of C next to each other.
// Thread → data  thread (tx, ty) of block (bx, by) computes C[by·TILE + 4·ty + i][bx·TILE + 4·tx +
//                j] for i, j = 0 to 3; thread number n of the block loads four elements of row
//                n / (BLOCK_SIZE / 4) of the tile of A and four of row ty of the tile of B
// Costs          2 shared loads for 16 products; A is read N / TILE times, B M / TILE times, with a
//                quarter of the load instructions; storing the transposed tile has bank conflicts

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    K and N multiples of 4, any M
template <int BLOCK_SIZE>
__global__ void __launch_bounds__(BLOCK_SIZE* BLOCK_SIZE)
    matmul_register_tile_vectorised(const float* A, const float* B, float* C, int M, int N, int K) {
  static_assert(BLOCK_SIZE % 4 == 0, "a row of the tile of A is loaded as whole float4s");
  constexpr int TILE = 4 * BLOCK_SIZE;                // the block's part of C is TILE×TILE
  __shared__ alignas(16) float As[BLOCK_SIZE][TILE];  // As[e][row]: transposed
  __shared__ alignas(16) float Bs[BLOCK_SIZE][TILE];
  const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int n = ty * BLOCK_SIZE + tx;
  int load_row = n / (BLOCK_SIZE / 4);  // of the tile of A
  int load_col = n % (BLOCK_SIZE / 4) * 4;
  int a_row = blockIdx.y * TILE + load_row;
  int b_col = blockIdx.x * TILE + 4 * tx;
  float acc[4][4] = {};
  for (int t = 0; t < (K + BLOCK_SIZE - 1) / BLOCK_SIZE; ++t) {
    int a_col = t * BLOCK_SIZE + load_col;
    int b_row = t * BLOCK_SIZE + ty;
    float4 a4 = zero;
    float4 b4 = zero;
    if (a_row < M && a_col < K) {
      a4 = *reinterpret_cast<const float4*>(&A[a_row * K + a_col]);
    }
    if (b_row < K && b_col < N) {
      b4 = *reinterpret_cast<const float4*>(&B[b_row * N + b_col]);
    }
    As[load_col + 0][load_row] = a4.x;
    As[load_col + 1][load_row] = a4.y;
    As[load_col + 2][load_row] = a4.z;
    As[load_col + 3][load_row] = a4.w;
    *reinterpret_cast<float4*>(&Bs[ty][4 * tx]) = b4;
    __syncthreads();  // no thread multiplies before both tiles are loaded (read after write)
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      float4 a = *reinterpret_cast<const float4*>(&As[e][4 * ty]);
      float4 b = *reinterpret_cast<const float4*>(&Bs[e][4 * tx]);
      const float a_reg[4] = {a.x, a.y, a.z, a.w};
      const float b_reg[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          acc[i][j] += a_reg[i] * b_reg[j];
        }
      }
    }
    __syncthreads();  // no thread loads the next tiles over those still in use (write after read)
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int row = blockIdx.y * TILE + 4 * ty + i;
    if (row < M && b_col < N) {
      *reinterpret_cast<float4*>(&C[row * N + b_col]) =
          make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    }
  }
}
