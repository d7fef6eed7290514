__global__ void k(long long* out, long long n, long long d) {
  int t = threadIdx.x;
  long long q = n / d;
  long long r = n % d;
  out[t] = q + r;
}
