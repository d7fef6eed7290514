#include <iostream>
struct Matrix {
  int w; int* p;
  Matrix(int n) : w(n) { cudaMalloc(&p, n * sizeof(int)); }
  ~Matrix() { cudaFree(p); }
  __host__ __device__ Matrix() : w(5), p(nullptr) {}
 private:
  void print(std::ostream& out) const { for (int i = 0; i < w; ++i) { out << p[i]; } }
 public:
  __host__ __device__ int get() const { return w; }
  void launch();
};
__global__ void f(int* a) { Matrix m; a[threadIdx.x] = m.get(); }
void Matrix::launch() { f<<<1, 32>>>(p); }
int main() { Matrix m(3); m.launch(); }
