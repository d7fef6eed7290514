// The barrier after the products is missing: fast warps overwrite tiles that others still read.
#define TILE 16
__global__ void multiply(const float* left, const float* right, float* result, int size)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < size / TILE; ++t) {
        a[threadIdx.y][threadIdx.x] = left[row * size + t * TILE + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = right[(t * TILE + threadIdx.y) * size + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    }
    result[row * size + col] = sum;
}
// The same of a sum: its tile of 128 elements is passed twice only where n is 256 and more.
__global__ void sums(const float* x, float* y, int n)
{
    __shared__ float part[128];
    float sum = 0.0f;
    for (int first = 0; first < n; first += 128) {
        part[threadIdx.x] = x[first + threadIdx.x];
        part[threadIdx.x + 64] = x[first + threadIdx.x + 64];
        __syncthreads();
        for (int k = 0; k < 128; ++k) sum += part[(k + threadIdx.x) % 128];
    }
    y[blockIdx.x * 64 + threadIdx.x] = sum;
}
void run(const float* x, float* y, int n) { sums<<<n / 64, 64>>>(x, y, n); }
