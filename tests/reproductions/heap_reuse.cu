// One thread's block after the other is at the same place of the heap: no fault, no race.
__global__ void heap_reuse(const int* in, int* out) {
  const int t = threadIdx.x;
  int sum = 0;
  for (int pass = 0; pass < 3; ++pass) {
    int* p = new int[5];
    for (int i = 0; i < 5; ++i) {
      p[i] = in[t] * i + pass;
    }
    for (int i = 0; i < 5; ++i) {
      sum += p[4 - i];
    }
    delete[] p;
  }
  out[t] = sum;
}
