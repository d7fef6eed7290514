// lab14_kahan_store, fails at row 3: the store is after the comparison.

// a: n×n with rows of lda, row-major    b: n×n with rows of ldb    c: n×n with rows of ldc
__global__ void matMultCUDA(const float* a, size_t lda, const float* b, size_t ldb, float* c,
                            size_t ldc, int n) {
  const int tid = threadIdx.x;
  const int bid = blockIdx.x;
  const int idx = bid * blockDim.x + tid;
  const int row = idx / n;
  const int column = idx % n;
  int i;
  float t = 0;
  if (row < n && column < n) {
    float y = 0;
    for (i = 0; i < n; i++) {
      float r;
      y -= a[row * lda + i] * b[i * ldb + column];
      r = t - y;
      y = (r - t) + y;
      t = r;
    }
  }
  c[row * ldc + column] = t;
}
