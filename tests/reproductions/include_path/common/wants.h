#include "nowhere.h"
__device__ float value() {
  return kThree;
}
