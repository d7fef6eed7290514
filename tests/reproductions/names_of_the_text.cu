// Each kernel's text declares a name that build scripts define elsewhere, each in another way.
enum Shape { TILE_DIM = 16, TPB = 64 };
struct Config { static constexpr int BLOCK_SIZE = 32; int TILE; };
template <typename T, int THREADS> struct Rows { T value[THREADS]; };
__device__ float at(const float* x, int BLOCK_DIM) { return x[BLOCK_DIM]; }

__global__ void members(const float* x, float* y, int n)
{
    __shared__ Rows<float, TPB> rows;
    Config config;
    config.TILE = n;
    int i = blockIdx.x * TPB + threadIdx.x;
    rows.value[threadIdx.x] = i < config.TILE ? at(x, i) : 0.0f;
    __syncthreads();
    if (i < n) y[i] = rows.value[TPB - 1 - threadIdx.x];
}
__global__ void locals(const float* x, float* y, int n)
{
    using BLOCKSIZE = int;
    int first = 0, TILE_WIDTH = blockDim.x;
    for (BLOCKSIZE i = first + blockIdx.x * TILE_WIDTH + threadIdx.x; i < n; i += gridDim.x * TILE_WIDTH) y[i] = 2 * x[i];
}
template <int BLOCK, class TILE_SIZE = float>
__global__ void parameters(const TILE_SIZE* x, TILE_SIZE* y, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = x[i] + WARPSIZE;
}
