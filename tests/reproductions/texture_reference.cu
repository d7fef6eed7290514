texture<float, 1> tex;
__global__ void f(int* a) { a[0] = tex1Dfetch(tex, 0); }
