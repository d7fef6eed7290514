__global__ void f(int* a) { surf2Dwrite(3, (cudaSurfaceObject_t)a[0], 0, 0); }
