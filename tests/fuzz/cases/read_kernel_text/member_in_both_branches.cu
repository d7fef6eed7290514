#ifdef A
struct Matrix { int width; int height; int stride; float* elements;
#else
int stride;
#endif
};
__global__ void k(Matrix A, Matrix B, Matrix C,
#ifdef A
int n
#else
long n
#endif
) { C.elements[0] = 1; }
