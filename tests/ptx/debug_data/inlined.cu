// Functions inlined by __forceinline__, called functions, a recursive one.
__forceinline__ __device__ float clamp_twice(float v) {
  float t = v * 2.0f;
  bool unused = v > 3.0f;
  if (t > 3.0f) {
    float q = t;
    t += q;
  }
  return t;
}
template <int N>
__forceinline__ __device__ int times(int v) {
  int r = v * N;
  return clamp_twice(r) + r;
}
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ float mean(const float* v, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) {
    sum += v[i];
  }
  return sum / n;
}

__global__ void inlined(float* out, int n) {
  float first = clamp_twice(out[0]);
  float second = clamp_twice(out[1]);
  out[2] = first + second + times<3>(n) + factorial(n) + mean(out, n);
}
