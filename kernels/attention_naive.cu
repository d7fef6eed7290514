// attention_naive: one thread, one element of O, everything straight from global memory.
//
// The idea       A query (a row of Q) times a key (a row of Keys), divided by the square root of D,
//                is a score. The weight of a key is exp(score), divided by the sum over all keys:
//                softmax. A row of O is the sum of the rows of V, each times the weight of its key.
//                The largest score is subtracted from all others: exp(score) could overflow.
// Changed since  naive: two products, with a softmax between them.
// Thread → data  thread (x, y) of the grid computes O[row = y][col = x]
// Costs          each of the D threads of a row computes all N scores itself, and twice: 2·N·D
//                products for each element of O. Keys is read 2·M·D times, V is read M times.

// Q: M×D, row-major    Keys: N×D, row-major    V: N×D, row-major    O: M×D, row-major
template <int D>
__device__ float score(const float* query, const float* key) {
  float sum = 0.0f;
  for (int d = 0; d < D; ++d) {
    sum += query[d] * key[d];
  }
  return sum * rsqrtf(D);
}

template <int D>
__global__ void attention_naive(const float* Q, const float* Keys, const float* V, float* O, int M,
                                int N) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < D) {
    const float* query = Q + row * D;
    float highest = score<D>(query, Keys);
    for (int key = 1; key < N; ++key) {
      highest = fmaxf(highest, score<D>(query, Keys + key * D));
    }
    float total = 0.0f;
    float acc = 0.0f;
    for (int key = 0; key < N; ++key) {
      float weight = __expf(score<D>(query, Keys + key * D) - highest);
      total += weight;
      acc += weight * V[key * D + col];
    }
    O[row * D + col] = acc * __fdividef(1.0f, total);
  }
}
