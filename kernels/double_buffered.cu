// double_buffered: the next tile is on its way while the current one is multiplied.
//
// The idea       cp.async copies from global to shared memory without waiting. With two buffers for
//                each tile, phase t starts the copy of tile t + 1 into one and multiplies tile t in
//                the other: the latency of global memory hides behind the products.
// Changed since  tiled: As and Bs twice, asynchronous copies, one barrier a phase instead of two.
// Thread → data  thread (tx, ty) of block (bx, by) copies As[t % 2][ty][tx] and Bs[t % 2][ty][tx]
//                for tile t and computes C[by·BLOCK_SIZE + ty][bx·BLOCK_SIZE + tx]
// Costs          loads as tiled; twice the shared memory, half the barriers (needs a GPU of compute
//                capability 8.0)

// Starts to copy one float from global to shared memory; stores 0 if `inside` is false. PTX ISA,
// "cp.async": of the 4 bytes to store, only `bytes` are read.
__device__ void copy_async(float* shared, const float* global, bool inside) {
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  int bytes = inside ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"(bytes)
               : "memory");
}

// Waits until everything that this thread has started to copy is there.
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// A: M×K, row-major    B: K×N, row-major    C: M×N, row-major    any M, N, K
template <int BLOCK_SIZE>
__global__ void matmul_double_buffered(const float* A, const float* B, float* C, int M, int N,
                                       int K) {
  __shared__ float As[2][BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[2][BLOCK_SIZE][BLOCK_SIZE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * BLOCK_SIZE + ty;
  int col = blockIdx.x * BLOCK_SIZE + tx;
  int tiles = (K + BLOCK_SIZE - 1) / BLOCK_SIZE;
  float acc = 0.0f;
  for (int t = -1; t < tiles; ++t) {  // t = -1: nothing to multiply yet
    wait_for_copies();
    __syncthreads();  // tile t is there (read after write) and tile t - 1 done (write after read)
    int next = t + 1;
    if (next < tiles) {
      int a_col = next * BLOCK_SIZE + tx;
      int b_row = next * BLOCK_SIZE + ty;
      bool a_inside = row < M && a_col < K;
      bool b_inside = b_row < K && col < N;
      copy_async(&As[next % 2][ty][tx], a_inside ? &A[row * K + a_col] : A, a_inside);
      copy_async(&Bs[next % 2][ty][tx], b_inside ? &B[b_row * N + col] : B, b_inside);
    }
    if (t >= 0) {
      for (int e = 0; e < BLOCK_SIZE; ++e) {
        acc += As[t % 2][ty][e] * Bs[t % 2][e][tx];
      }
    }
  }
  if (row < M && col < N) {
    C[row * N + col] = acc;
  }
}
