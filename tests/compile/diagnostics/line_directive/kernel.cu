#line 100 "generated (1).cu"
__global__ void k(float* A) { A[0] = foo; }
