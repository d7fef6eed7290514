// Variables in memory: constant, global, shared of every kind, statics. __shared__ int comment;
struct Pt {
  float x;
  int n[2];
};
namespace ns {
__device__ int counter;
}
__constant__ float coef[8];
__constant__ Pt origin;
extern __shared__ float dynamic[];
__shared__ int outside[7];
#define TILE(name, w) __shared__ float name[w][w]

__forceinline__ __device__ float inlined_sum(float v) {
  __shared__ float partial[32];
  partial[threadIdx.x] = v;
  __syncthreads();
  return partial[0];
}
__device__ __noinline__ float called_sum(float v) {
  __shared__ float partial[16];
  partial[threadIdx.x] = v;
  __syncthreads();
  return partial[1];
}
template <class T, int N>
__global__ void memory(T* out, int n) {
  const char* text = "__shared__ int As[99];";  // no declaration
  __shared__ T As[N][N + 1], Bs[N]; /* __shared__ */
  __shared__ Pt
      points[3]
            [2];
  __shared__ const float* rows[4];
  static __shared__ unsigned char flags[5];
  static int calls[3];
  TILE(Cs, 4);
  {
    __shared__ int As[3];
    As[n] = n;
    __syncthreads();
    out[1] = As[n + 1];
  }
  if (n > 2) {
    __shared__ double As;
    As = n;
    __syncthreads();
    out[2] = As;
  }
  switch (n) {
    case 1:
      __shared__ short s[9];
      s[n] = 3;
      __syncthreads();
      out[3] = s[1];
      break;
    case 2:
      out[4] = text[n];
  }
  As[n][0] = out[0] + coef[n] + origin.x + ns::counter;
  Bs[n] = 1;
  points[n][1].x = 2;
  rows[n] = coef;
  flags[n] = 1;
  calls[1]++;
  Cs[n][n] = 5;
  outside[n] = 4;
  dynamic[n] = 2;
  __syncthreads();
  out[n] = As[0][n] + Bs[n + 1] + points[n][n].n[1] + rows[n][1] + flags[n] + calls[0] + Cs[1][n] +
           outside[2] + dynamic[1] + inlined_sum(n) + called_sum(n);
}
