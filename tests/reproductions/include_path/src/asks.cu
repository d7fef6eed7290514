#if __has_include("nowhere.h")
#include "nowhere.h"
#else
__device__ float value() { return 3.f; }
#endif
__global__ void k(float* out) { out[threadIdx.x] = value(); }
