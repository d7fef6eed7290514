#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void f(int* a) {
  __shared__ int mine[64];
  unsigned p; asm volatile("mov.u32 %0, %%reserved_smem_offset_begin;" : "=r"(p));
  unsigned e; asm volatile("mov.u32 %0, %%reserved_smem_offset_end;" : "=r"(e));
  unsigned c; asm volatile("mov.u32 %0, %%reserved_smem_offset_cap;" : "=r"(c));
  mine[threadIdx.x] = p + e + c;
  a[threadIdx.x] = mine[(int)threadIdx.x - 1];
}
