#warning "look here"
#error "BLOCK_SIZE is not set"
__global__ void k() {}
