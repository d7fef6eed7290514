__global__ void k(float* out, int n) { out[threadIdx.x] = n; }
