__device__ void put(int value, float* to) { *to = value; }
__device__ void put(float* to, int value) { *to = value; }
__global__ void k(float* A) {
  put(1, 2);
}
