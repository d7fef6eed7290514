__global__ void lowest(float* y) { float m = -__FLT_MAX__; for (int i = 0; i <= threadIdx.x; ++i) m = fmaxf(m, y[i]); y[32 + threadIdx.x] = m; }
