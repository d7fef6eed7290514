// Three faults with memory of malloc() in a kernel: an element that nobody stored (p[3]), one behind
// the block (p[4]), and one of a block that free() has taken back.
__global__ void heap_blocks(const int* in, int* out) {
  const int t = threadIdx.x;
  int* p = static_cast<int*>(malloc(4 * sizeof(int)));
  for (int i = 0; i < 3; ++i) {
    p[i] = in[t] + i;
  }
  const int unset = p[3];
  const int behind = p[4];
  free(p);
  out[t] = unset + behind + p[0];
}
