class Matrix { int* p; public: Matrix(int n) { cudaMalloc(&p, n); } ~Matrix() { cudaFree(p); } friend bool operator==(const Matrix&, const Matrix&); };
class Base { public: virtual ~Base() {} virtual void run() = 0; };
class Derived : public Base { public: void run() override { printf_host(3); } };
typedef Matrix Mat;
using MatPtr = Matrix*;
bool operator==(const Matrix& a, const Matrix& b) { return true; }
Matrix* g_matrix = new Matrix(3);
static const Matrix kMatrix = Matrix(4);
static_assert(sizeof(Matrix) == 8, "size");
struct Op { __device__ int operator()(int x) const { return x + 1; } };
template <class O> __global__ void f(int* a) { a[threadIdx.x] = O()(4); }
int main() { Matrix m(3); f<Op><<<1, 32>>>(0); }
