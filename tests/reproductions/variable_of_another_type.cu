__constant__ int taps[5];
__constant__ float table[3][4];
__global__ void k(float* out) { out[threadIdx.x] = taps[threadIdx.x % 5] * table[threadIdx.x % 3][1]; }
