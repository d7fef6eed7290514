#include "gpu/host_buffer.h"

#include <cstring>
#include <utility>

namespace tilestep::gpu {

HostBuffer::HostBuffer(std::shared_ptr<Context> context, std::size_t bytes, HostMemory memory)
    : context_(std::move(context)), size_(bytes) {
  if (memory == HostMemory::Pageable) {
    pageable_.resize(size_);
    return;
  }
  context_->enter();
  context_->check(context_->api().mem_alloc_host(&locked_, size_), "cuMemAllocHost");
  std::memset(locked_, 0, size_);
}

HostBuffer::~HostBuffer() {
  if (locked_ != nullptr && context_->enter_to_release()) {
    context_->api().mem_free_host(locked_);
  }
}

std::span<std::byte> HostBuffer::bytes() {
  return locked_ == nullptr ? std::span(pageable_)
                            : std::span(static_cast<std::byte*>(locked_), size_);
}

}  // namespace tilestep::gpu
