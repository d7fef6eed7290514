#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void f(int* a) { cg::grid_group g = cg::this_grid(); a[g.thread_rank()] = 1; g.sync(); a[8 + g.thread_rank()] = a[7 - g.thread_rank()]; }
