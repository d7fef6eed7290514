// float, double and integer arithmetic, conversions, vector loads, cached loads.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
extern "C" __global__ void k(float* f, double* d, int* i, long long* l, unsigned char* c, short* s,
                             unsigned long long* ul, unsigned* u) {
  int t = threadIdx.x;
  float x = f[t];
  double y = d[t];
  f[1] = sinf(x) + cosf(x) + tanf(x) + expf(x) + logf(x) + powf(x, 2.5f) + sqrtf(x) + rsqrtf(x) +
         __expf(x) + __logf(x) + __sinf(x) + __cosf(x) + __powf(x, x) + tanhf(x) + atan2f(x, x) +
         erff(x) + cbrtf(x) + fabsf(x) + floorf(x) + ceilf(x) + roundf(x) + truncf(x) + rintf(x) +
         fmodf(x, 3.f) + copysignf(x, -1.f) + fminf(x, 2.f) + fmaxf(x, 3.f) + fmaf(x, x, x) +
         exp2f(x) + log2f(x) + log10f(x) + asinf(x) + acosf(x) + lgammaf(x) + tgammaf(x) +
         ldexpf(x, 3) + hypotf(x, x) + remainderf(x, x);
  f[2] = __fdividef(x, 3.f) + __fadd_rz(x, x) + __fmul_ru(x, x) + __fmaf_rd(x, x, x) +
         __frcp_rn(x) + __fsqrt_rz(x) + __saturatef(x) + x / 3.f + 1.f / x + __frsqrt_rn(x) +
         __fdiv_rd(x, x);
  d[1] = sin(y) + cos(y) + exp(y) + log(y) + pow(y, 2.5) + sqrt(y) + rsqrt(y) + fabs(y) + floor(y) +
         fma(y, y, y) + y / 3. + fmin(y, 1.) + fmax(y, 2.) + __dadd_ru(y, y) + __drcp_rn(y) +
         1 / y + tanh(y) + cbrt(y) + copysign(y, -1.) + round(y) + trunc(y);
  i[1] = (int)x + (int)y + (unsigned)x + __float2int_rn(x) + __float2int_ru(x) + __float_as_int(x) +
         __double2hiint(y) + __double2loint(y) + isnan(x) + isinf(x) + isfinite(x) + signbit(x) +
         (short)x;
  l[1] = (long long)x + (long long)y + __double_as_longlong(y) + llrintf(x);
  d[2] = __hiloint2double(i[2], i[3]);
  ul[0] = (unsigned long long)y;
  u[1] = (unsigned)y;
  f[3] = (float)i[4] + (float)l[2] + (float)y + (float)c[1] + (float)s[1] + (float)ul[1] +
         __int_as_float(i[5]) + __int2float_rz(i[6]);
  d[3] = (double)i[4] + (double)x + (double)l[3] + (double)ul[5] + (double)u[3];
  c[2] = c[3] * c[4] + s[3];
  s[4] = s[5] / s[6] + (s[7] >> 2) + abs(s[8]);
  i[7] = i[8] / i[9] + i[10] % i[11] + i[12] / 7 + i[13] % 7 + abs(i[14]) + min(i[15], i[16]) +
         max(i[17], 3);
  l[4] = l[5] / l[6] + l[7] % l[8] + l[9] * l[10] + (l[11] << i[1]) + (l[12] >> 3) + llabs(l[13]);
  ul[2] = ul[3] / ul[4] % 10 + (ul[5] >> 7);
  u[4] = u[5] / u[6] % 13;
  bool b = x < y;
  c[5] = b;
  c[6] = !(x < 1.f) || (x != x);
  i[20] = x > 1.f ? i[21] : i[22];
  signed char sc = (signed char)c[9];
  i[23] = sc;
  f[9] = x < 0 ? -x : x * 2;
  f[10] = isnan(f[10]) ? 1 : 0;
  i[24] = (u[7] >> 5) & 0xff;
  i[25] = (i[24] << 24) >> 24;
  i[26] = (i[26] & ~0xff0) | ((u[7] & 0xff) << 4);
  ul[7] = __umul64hi(ul[1], ul[2]);
  u[8] = __umulhi(u[1], u[2]);
  i[27] = i[1] * i[2] + i[3];
  f[11] = __uint2float_rn(u[0]);
  f[12] = normcdff(x) + erfcf(x) + j0f(x);
  d[9] = erf(y) + lgamma(y) + atan2(y, y) + sinpi(y) + fmod(y, y);
  float4 v = *(float4*)(f + 16);
  v.x += v.y;
  *(float4*)(f + 32) = v;
  double2 w = *(double2*)(d + 16);
  w.x *= w.y;
  *(double2*)(d + 32) = w;
  uchar4 q = *(uchar4*)(c + 16);
  q.x ^= q.w;
  *(uchar4*)(c + 32) = q;
  short2 sh = *(short2*)(s + 8);
  *(short2*)(s + 16) = make_short2(sh.y, sh.x);
  ulonglong2 ll = *(ulonglong2*)(ul + 8);
  ul[30] = ll.x & ll.y | ll.x;
  f[13] = __ldg(f + 50) + __ldcg(f + 51) + __ldcs(f + 52) + __ldca(f + 53) + __ldcv(f + 54);
  __stcg(f + 60, x);
  __stcs(f + 61, x);
  volatile float* vf = f;
  vf[70] = vf[71];
  nanf("1");
  __prof_trigger(1);
}
