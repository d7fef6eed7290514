namespace my { void launch(int* p); extern int count; struct Timer { void start(); double stop(); }; __global__ void kern(int* a); __device__ int five(); }
int my::count = 0;
void my::Timer::start() { gettimeofday(0); }
double my::Timer::stop() { return clock(); }
__device__ int my::five() { return 5; }
__global__ void my::kern(int* a) { a[threadIdx.x] = my::five(); }
void my::launch(int* p) { Timer t; t.start(); kern<<<1, 32>>>(p); cudaDeviceSynchronize(); }
int main() { my::launch(nullptr); }
