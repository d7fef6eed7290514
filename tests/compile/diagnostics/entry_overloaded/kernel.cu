__global__ void k(float* A) { A[0] = 1; }
__global__ void k(int* A) { A[0] = 1; }
