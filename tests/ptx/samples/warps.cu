// What looks at other lanes; integer and bit intrinsics.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
extern "C" __global__ void k(int* p, float* f, unsigned* u, unsigned long long* l, double* d) {
  int i = threadIdx.x;
  int v = p[i];
  for (int o = 16; o; o /= 2)
    v += __shfl_xor_sync(~0u, v, o);
  v += __shfl_down_sync(~0u, v, 1);
  v += __shfl_up_sync(~0u, v, 1, 8);
  v += __shfl_sync(~0u, v, i & 7, 8);
  d[i] = __shfl_sync(~0u, d[i], 3);
  unsigned b = __ballot_sync(~0u, v > 3);
  if (__any_sync(~0u, v == 2))
    b++;
  if (__all_sync(~0u, v == 2))
    b += 2;
  u[i] = b ^ __activemask();
  u[i + 32] = __match_any_sync(~0u, v);
  int pr;
  u[i + 64] = __match_all_sync(~0u, v, &pr);
  u[i + 65] = pr;
  u[1] = __match_any_sync(~0u, l[i]);
  __syncwarp();
  u[i + 96] = __reduce_add_sync(~0u, b);
  u[9] = __reduce_min_sync(~0u, v);
  u[10] = __reduce_max_sync(~0u, b);
  u[11] = __reduce_and_sync(~0u, b);
  u[12] = __reduce_or_sync(~0u, b);
  u[13] = __reduce_xor_sync(~0u, b);
  u[2] = __syncthreads_count(v);
  u[3] = __syncthreads_and(v);
  u[4] = __syncthreads_or(v);
  u[5] =
      __popc(v) + __popcll(l[0]) + __clz(v) + __clzll(l[1]) + __ffs(v) + __ffsll(l[2]) + __brev(v);
  l[3] = __brevll(l[4]);
  u[6] = __byte_perm(v, b, 0x1234) + __funnelshift_l(v, b, 3) + __funnelshift_r(v, b, 3) +
         __funnelshift_lc(v, b, 3) + __funnelshift_rc(v, b, 40);
  u[7] = __dp4a(v, (int)b, 3) + __dp2a_lo(v, (int)b, 3) + __dp2a_hi(v, (int)b, 1) + __umulhi(v, b) +
         __mulhi(v, 3) + __mul24(v, 3) + __umul24(v, b) + __sad(v, 3, 1u) + __usad(v, b, 2);
  u[8] = __vabsdiffu4(v, b) + __vsadu4(v, b) + __vadd4(v, b) + __vmaxs2(v, b) + __vabsdiffs4(v, b);
  l[5] = __umul64hi(l[6], l[7]) + clock64() + clock();
  l[8] = (unsigned long long)clock();
  __nanosleep(100);
  u[20] = __fns(b, 0, 1);
  u[21] = __cvta_generic_to_shared(p);
  u[22] = __isShared(p) + __isGlobal(p) + __isLocal(p) + __isConstant(p);
}
