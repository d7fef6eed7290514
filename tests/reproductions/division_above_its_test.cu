// The compiler moves a / n out of the loop and above its test: with n = 0 nobody uses the quotient.
__global__ void f(const int* a, int n, int* out) {
  int i = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    if (n > 0 && a[k] > 0) {
      sum += a[i] / n;
    }
  }
  out[i] = sum;
}
