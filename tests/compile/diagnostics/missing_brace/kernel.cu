__global__ void k(float* A) {
  if (A != nullptr) {
    A[0] = 1.0f;
}
