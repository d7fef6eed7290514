#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void f(int* a) {
  auto t = cg::tiled_partition<64>(cg::this_thread_block());
  a[threadIdx.x] = cg::reduce(t, (int)threadIdx.x, cg::plus<int>());
}
