// A square is rotated in place, a layer a thread. Proofs that blocks are alike once took minutes.
#define N 1024
__global__ void rotate(float* M, int n) {  // in place, layer by layer, one thread each
  int layer = blockIdx.x * blockDim.x + threadIdx.x;
  if (layer >= n / 2) return;
  int last = n - 1 - layer;
  for (int i = layer; i < last; ++i) {
    int o = i - layer; float top = M[layer * n + i];
    M[layer * n + i] = M[(last - o) * n + layer]; M[(last - o) * n + layer] = M[last * n + last - o];
    M[last * n + last - o] = M[i * n + last]; M[i * n + last] = top;
  }
}
int main() { float* m; rotate<<<N / 2 / 64, 64>>>(m, N); }
