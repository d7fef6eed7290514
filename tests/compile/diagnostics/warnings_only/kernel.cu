__device__ int helper(int x) {
  int unused;
  return x / 0;
}
__global__ void k(int* A) {
  A[0] = helper(A[1]);
}
