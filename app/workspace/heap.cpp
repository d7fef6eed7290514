#include "workspace/heap.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tilestep::workspace {

void share_one_heap() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);  // fixed: what is larger is given back at once
  // What a frame frees, the next one takes again: else it is given back and faulted in 60 times a
  // second.
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

}  // namespace tilestep::workspace
