__global__ void f(const int* x, int* y) {
  __shared__ int s[33];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  int v = s[t + 1];
  y[t] = s[t];
}
