// A tile of several warps counts its threads: an H100 waits forever.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void f(int* a) {
  __shared__ cg::block_tile_memory<64> memory;
  auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  if (threadIdx.x >= 32) return;
  tile.sync();
  a[threadIdx.x] = 1;
}
