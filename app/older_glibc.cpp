// In a bundle only: arc4random, which glibc has from 2.36 on and the libstdc++ in the program
// calls. With this one, glibc 2.35 (Ubuntu 22.04) is enough.
#include <cstdint>
#include <sys/random.h>

// NOLINTNEXTLINE(readability-identifier-naming): the C library's name
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}
