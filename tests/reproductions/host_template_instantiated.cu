template <class T> struct Host { void go(T* p) { cudaFree(p); } };
template struct Host<int>;
extern template struct Host<float>;
template <> struct Host<double> { void go(double* p) { hostCall(p); } static const int n; };
const int Host<double>::n = 3;
template <class T> T twice(T x) { return malloc(x); }
template int twice<int>(int);
template <> float twice<float>(float x) { return fopen("a", "b"); }
__global__ void f(int* a) { a[threadIdx.x] = 5; }
