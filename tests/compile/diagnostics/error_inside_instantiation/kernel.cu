template <class T>
__device__ T twice(T x) {
  return x.value * 2;
}
template <int BLOCK_SIZE>
__global__ void k(float* A) {
  A[0] = twice(A[1]);
}
