#include <cstdio>
#include <mine.h>
__global__ void k(Mine* x) { x[0] = 1; }
