// A Kahan sum in intrinsics, and a product that is 0: each statement says what is computed.
__global__ void dot(const float* A, const float* B, float* C, int K) {
  float s = 0.f, c = 0.f;
  for (int k = 0; k < K; ++k) {
    float y = __fsub_rn(__fmul_rn(A[k], B[k]), c);
    float t = __fadd_rn(s, y);
    c = __fsub_rn(__fsub_rn(t, s), y);
    s = t;
  }
  float plain = 0.f;
  for (int k = 0; k < K; ++k) plain += A[k] * B[k];
  C[0] = s;
  C[1] = s + plain;
}
