// Memory of the host's that copies go from and to, freed by its owner.
#pragma once

#include "gpu/context.h"
#include "gpu/device.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tilestep::gpu {

// Touched once: the first use of a page is the operating system's work, not the copy's.
class HostBuffer {
 public:
  HostBuffer(std::shared_ptr<Context> context, std::size_t bytes, HostMemory memory);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  HostBuffer(HostBuffer&&) = delete;
  HostBuffer& operator=(HostBuffer&&) = delete;

  [[nodiscard]] std::span<std::byte> bytes();

 private:
  std::shared_ptr<Context> context_;
  std::size_t size_;
  void* locked_ = nullptr;
  std::vector<std::byte> pageable_;
};

}  // namespace tilestep::gpu
