#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(const float* in, float* out) {
  __shared__ cg::block_tile_memory<256> scratch;
  __shared__ float mine[256];
  auto block = cg::this_thread_block(scratch);
  auto tile = cg::tiled_partition<128>(block);
  mine[threadIdx.x] = in[threadIdx.x];
  tile.sync();
  float v = mine[(threadIdx.x & 128) + ((threadIdx.x + 1) & 127)];
  out[threadIdx.x] = cg::reduce(tile, v, cg::plus<float>());
}
