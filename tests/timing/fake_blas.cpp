// A BLAS of three loops under the usual name: all that a test of opening one needs.
extern "C" void cblas_sgemm(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc) {
  constexpr int kRowMajor = 101;
  constexpr int kNoTranspose = 111;
  const bool understood =
      layout == kRowMajor && transpose_a == kNoTranspose && transpose_b == kNoTranspose;
  for (int row = 0; row < m && understood; ++row) {
    for (int col = 0; col < n; ++col) {
      float sum = 0.0F;
      for (int i = 0; i < k; ++i) {
        sum += a[row * lda + i] * b[i * ldb + col];
      }
      float& element = c[row * ldc + col];
      element = alpha * sum + (beta == 0.0F ? 0.0F : beta * element);
    }
  }
}
