#include "nosuch.h"
__global__ void k() {}
