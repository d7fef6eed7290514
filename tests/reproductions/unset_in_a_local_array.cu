__global__ void k(const float* in, float* out) { float a[4]; for (int i = 0; i < 3; ++i) a[i] = in[i]; out[threadIdx.x] = a[threadIdx.x % 4]; }
