#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void f(int* a) {
  __shared__ int mine[128];
  __shared__ cg::block_tile_memory<128> scratch;
  auto b = cg::this_thread_block(scratch);
  auto t = cg::tiled_partition<64>(b);
  mine[threadIdx.x] = threadIdx.x;
  t.sync();
  a[threadIdx.x] = mine[threadIdx.x ^ 127];
}
