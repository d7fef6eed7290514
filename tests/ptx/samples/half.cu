// 16-bit floating point through the headers' inline assembly.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void k(__half* h, __half2* h2, float* f, __nv_bfloat16* b, __nv_bfloat162* b2,
                             int* i) {
  int t = threadIdx.x;
  __half x = h[t];
  h[1] = x + x * x - x / x;
  h[2] = __hfma(x, x, x);
  h[3] = hexp(x) + hsqrt(x) + hlog(x) + hsin(x) + hrcp(x) + htanh(x);
  f[0] = __half2float(x);
  h[4] = __float2half(f[1]);
  h2[1] = __hadd2(h2[2], h2[3]);
  h2[4] = __hfma2(h2[5], h2[6], h2[7]);
  h2[8] = __floats2half2_rn(f[3], f[4]);
  if (x < h[5])
    h[6] = __habs(x);
  h[7] = __hmax(x, h[8]);
  i[0] = __half2int_rn(x);
  h[9] = __int2half_rn(i[1]);
  h2[9] = __hmax2(h2[1], h2[2]);
  if (__hbeq2(h2[3], h2[4]))
    i[4] = __hgt(x, h[3]);
  h[10] = __hneg(x);
  atomicAdd(h + 3, x);
  atomicAdd(h2 + 3, h2[0]);
  h[20] = __shfl_xor_sync(~0u, x, 3);
  b[1] = b[2] + b[3] * b[4];
  f[5] = __bfloat162float(b[5]);
  b[6] = __float2bfloat16(f[6]);
  b2[1] = __hfma2(b2[2], b2[3], b2[4]);
  b2[5] = __floats2bfloat162_rn(f[1], f[2]);
  b[9] = hexp(b[8]);
  b[10] = __hmax(b[8], b[7]);
  if (b[1] < b[2])
    b[3] = b[4];
  i[3] = __bfloat162int_rz(b[4]);
  h[30] = __ushort2half_rn(3);
  h[31] = __double2half(3.5);
  i[8] = __half2short_rz(x);
  i[9] = __half_as_ushort(x);
  h[40] = __hadd_sat(x, x);
  h2[41] = __hmul2_sat(h2[1], h2[2]);
  h[42] = __hfma_relu(x, x, x);
  h[43] = __hmin_nan(x, x);
}
