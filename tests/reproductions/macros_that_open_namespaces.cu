#define NS_BEGIN namespace a { namespace b {
#define NS_END } }
#define LAUNCHER(k) void launch_##k(int* a) { k<<<1, 32>>>(a); }
#define INSTANTIATE(T) template void host<T>(T*);
#define PAIR(T) struct T##Pair { T a; T b; };
NS_BEGIN
template <class T> void host(T* p) { cudaFree(p); }
INSTANTIATE(int)
INSTANTIATE(float);
PAIR(int)
__global__ void f(int* a) { intPair p{2, 3}; a[threadIdx.x] = p.a + p.b; }
LAUNCHER(f)
NS_END
int main() { a::b::launch_f(0); }
