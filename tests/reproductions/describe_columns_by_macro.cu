// By columns, through macros; a block of 1024 threads is a square of 32.
#define A(i, j) A[(i) + (j)*lda]
#define B(i, j) B[(i) + (j)*ldb]
#define C(i, j) C[(i) + (j)*ldc]
__global__ __launch_bounds__(1024) void gemm_cols(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
  int lda = M, ldb = K, ldc = M;
  int tx = threadIdx.x, bx = blockIdx.x, by = blockIdx.y;
  int row = tx & 31, col = tx >> 5;
  A = &A((bx << 5), 0);
  B = &B(0, (by << 5));
  C = &C((bx << 5), (by << 5));
  float tmp = 0.;
  for (int k = 0; k < K; k++) tmp += A(row, k) * B(k, col);
  C(row, col) = alpha * tmp + beta * C(row, col);
}
