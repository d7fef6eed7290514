// The compiler moves a[i] / n out of the loop and above its test: with n = 0 nobody uses what it gives.
__global__ void f(const int* a, int n, int* out) {
  int i = threadIdx.x;
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    if (a[k] > 6) {
      sum += (i + 7) / n;
    }
  }
  out[i] = sum;
}
