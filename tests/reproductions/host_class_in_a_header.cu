#include "host_class_in_a_header.h"
DEVICE int five() { return 5; }
DEFINE_KERNEL(f)
int main() { Timer t; t.start(); f<<<1, 32>>>(0); }
