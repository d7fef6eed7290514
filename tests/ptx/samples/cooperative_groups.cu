// Thousands of header functions around one sum.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(float* o, int* p) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<16>(b);
  float v = o[b.thread_rank()];
  v = cg::reduce(t, v, cg::plus<float>());
  b.sync();
  t.sync();
  o[b.thread_rank()] = v + t.shfl_down(v, 1);
  p[0] = cg::reduce(t, p[1], cg::less<int>());
  auto c = cg::coalesced_threads();
  p[3] = c.size();
  auto g = cg::this_grid();
  if (g.is_valid())
    g.sync();
}
