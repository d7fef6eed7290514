// macro'd grid, cudaLaunchKernel-less; pointer struct view; grid-stride over tiles
typedef struct { float* data; int nrow; int ncol; } Mat;
__global__ void product(Mat left, Mat right, Mat dest) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < dest.nrow * dest.ncol; i += gridDim.x * blockDim.x) {
    int r = i / dest.ncol, c = i % dest.ncol;
    float s = 0;
    for (int k = 0; k < left.ncol; ++k) s += left.data[r * left.ncol + k] * right.data[k * right.ncol + c];
    dest.data[i] = s;
  }
}
#define BLOCKS 3
#define THREADS 96
void f(Mat a, Mat b, Mat c) { product<<<BLOCKS, THREADS>>>(a, b, c); }
