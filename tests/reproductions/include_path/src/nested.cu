#include "wants.h"
__global__ void k(float* out) { out[threadIdx.x] = value(); }
