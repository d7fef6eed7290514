// Structs by value, multi-dimensional arrays, hand-written assembly.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
__device__ __noinline__ int twice(int x) {
  return 2 * x;
}
__device__ int vla(int n) {
  int p[64];
  for (int i = 0; i < n; i++)
    p[i] = i;
  return p[n - 1] + p[0];
}
struct __align__(16) Q {
  float4 a;
  double d;
  char c;
  short s[3];
};
__device__ Q make(Q q, float f) {
  q.a.x *= f;
  q.c++;
  q.s[1] = q.c;
  return q;
}
template <class T>
__device__ T red(T* v, int n) {
  T s = 0;
  for (int i = 0; i < n; i++)
    s += v[i];
  return s;
}
enum class E : unsigned char { A, B };
__device__ int en(E e) {
  return e == E::A ? 1 : 2;
}
__device__ float arr3[2][3][4];
extern "C" __global__ void __launch_bounds__(256, 2)
    k(Q* q, float f, int* o, E e, bool b, long long l, int*, unsigned char uc) {
  extern __shared__ double dyn[];
  __shared__ volatile int s[4][5];
  int t = threadIdx.x;
  q[t] = make(q[t + 1], f);
  o[t] = twice(o[t + 1]) + vla(o[3]) + en(e) + b + (int)l + uc;
  s[t & 3][t % 5] = o[t];
  __syncthreads();
  o[7] = s[1][2] + (int)dyn[t] + (int)red(dyn, 4) + red(o, 3);
  arr3[t & 1][t % 3][t & 3] += 1;
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t@p add.s32 %0, %0, 5;\n\t}"
               : "+r"(o[9])
               : "r"(o[10]));
  asm("mov.u32 %0, %%smid;" : "=r"(o[11]));
  unsigned long long x;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(x));
  o[12] = x;
  asm volatile("bar.sync 1, 64;");
  asm("lop3.b32 %0,%1,%2,%3,0xE8;" : "=r"(o[13]) : "r"(o[1]), "r"(o[2]), "r"(o[3]));
  asm("{ .reg .b32 t1; .reg .u64 t2; cvta.to.shared.u64 t2, %1; cvt.u32.u64 t1,t2; mov.b32 %0,t1;}"
      : "=r"(o[14])
      : "l"(s));
  if (o[20])
    asm("trap;");
  if (o[21])
    asm("exit;");
  __brkpt();
  long double ld = f;
  o[15] = ld;
}
