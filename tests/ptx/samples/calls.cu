// Recursion, virtual functions, function pointers, printf, assert, malloc, switch, local arrays.
// Nothing here is meant to be run: it makes NVRTC write as many kinds of PTX as it can.
struct Node {
  int v;
  Node *l, *r;
};
__device__ int sum(Node* n) {
  if (!n)
    return 0;
  return n->v + sum(n->l) + sum(n->r);
}
__device__ int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
struct V {
  virtual __device__ int f(int x) = 0;
};
struct A : V {
  int k;
  __device__ int f(int x) override { return x + k; }
};
struct B : V {
  __device__ int f(int x) override { return x * 2; }
};
typedef float (*Op)(float, float);
__device__ float addf(float a, float b) {
  return a + b;
}
__device__ float mulf(float a, float b) {
  return a * b;
}
__device__ Op ops[2] = {addf, mulf};
__device__ const char* names[3] = {"one", "two", "three"};
extern "C" __global__ void k(int n, Node* t, float* o, const int* sel) {
  printf("hello %d %f %s %lld\n", n, 1.5, names[n % 3], (long long)n);
  assert(n < 100);
  o[0] = sum(t);
  o[1] = fib(n);
  o[2] = ops[sel[0]](1.f, 2.f);
  A a;
  a.k = 3;
  B b;
  V* v = sel[1] ? (V*)&a : (V*)&b;
  o[3] = v->f(n);
  int arr[16];
  for (int i = 0; i < 16; i++)
    arr[i] = i * n;
  o[4] = arr[sel[2] & 15];
  switch (sel[3]) {
    case 0:
      o[5] = 1;
      break;
    case 1:
      o[5] = 7;
      break;
    case 2:
      o[6] = 4;
    case 3:
      o[7] = 5;
      break;
    case 4:
      o[8] = 6;
      break;
    case 5:
      o[9] = 9;
      break;
    case 6:
      o[12] = 3;
      break;
    case 7:
      o[13] = sel[9];
      break;
    case 8:
      o[14] = o[15];
      break;
    default:
      o[10] = 0;
  }
  int* q = (int*)malloc(40);
  q[0] = 3;
  o[11] = q[0];
  free(q);
  int* w = new int[4];
  w[1] = 2;
  delete[] w;
  if (n == 77)
    __trap();
  memcpy(o + 20, sel, 64);
  memset(o + 60, 0, 32);
}
