// Long arrays of zeros of which little may ever be touched.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <vector>

namespace tilestep::insight {

// The operating system gives large blocks that are zero, and gives their pages at the first touch.
template <class T>
struct ZeroedAllocator {
  using value_type = T;
  static_assert(std::is_trivially_default_constructible_v<T>);

  [[nodiscard]] T* allocate(std::size_t count) {
    void* const memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) { std::free(memory); }
  void construct(T* /*place*/) {}  // it is zero already

  friend bool operator==(const ZeroedAllocator&, const ZeroedAllocator&) { return true; }
};

// Grows from nothing to its size at once; not smaller and larger again.
template <class T>
using Zeroed = std::vector<T, ZeroedAllocator<T>>;

}  // namespace tilestep::insight
