enum { kFive = 5 };
enum class Mode : int { A, B };
template <class T> struct Traits { static const int n = 1; };
template <> struct Traits<int> { static const int n = kFive; static void host() { std::cout << n; } };
struct Plus { int operator()(int a, int b) const { return a + b; } };
constexpr int log2i(int n) { return n <= 1 ? 0 : 1 + log2i(n / 2); }
constexpr const char* nameOf(int x) { return getenv("a"); }
__global__ void f(int* a) { a[threadIdx.x] = Plus()(Traits<int>::n, log2i(1)); }
int main() { nameOf(3); }
