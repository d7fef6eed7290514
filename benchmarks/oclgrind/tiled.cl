// The kernel `tiled` (kernels/tiled.cu) said in OpenCL C, for a comparison with Oclgrind.
#define BLOCK_SIZE 16

kernel void matmul_tiled(global const float* A, global const float* B, global float* C, int M, int N,
                         int K) {
  local float As[BLOCK_SIZE][BLOCK_SIZE];
  local float Bs[BLOCK_SIZE][BLOCK_SIZE];
  int tx = get_local_id(0);
  int ty = get_local_id(1);
  int row = get_group_id(1) * BLOCK_SIZE + ty;
  int col = get_group_id(0) * BLOCK_SIZE + tx;
  float acc = 0.0f;
  for (int t = 0; t < (K + BLOCK_SIZE - 1) / BLOCK_SIZE; ++t) {
    int a_col = t * BLOCK_SIZE + tx;
    int b_row = t * BLOCK_SIZE + ty;
    As[ty][tx] = row < M && a_col < K ? A[row * K + a_col] : 0.0f;
    Bs[ty][tx] = b_row < K && col < N ? B[b_row * N + col] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = 0; e < BLOCK_SIZE; ++e) {
      acc += As[ty][e] * Bs[e][tx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < M && col < N) {
    C[row * N + col] = acc;
  }
}
