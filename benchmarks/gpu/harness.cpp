// Tilestep's timing of one launch with a C interface, so that another harness can use it in the
// same process: same context, same buffers, same clocks.
#include "gpu/device.h"
#include "gpu/probe.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace {

struct Harness {
  std::unique_ptr<tilestep::gpu::Device> device;
  std::string message;  // why the last call failed
};

}  // namespace

extern "C" {

// The device's primary context, which the CUDA runtime uses too; open to the end of the process.
// Null: there is no device.
void* harness_open(int ordinal) {
  auto device = tilestep::gpu::Device::open(tilestep::gpu::default_libraries(), ordinal);
  return device ? new Harness{std::move(*device), {}} : nullptr;
}

const char* harness_message(void* harness) {
  return static_cast<Harness*>(harness)->message.c_str();
}

// Times launches on a flushed L2 cache, one after the other, in milliseconds; `grid` and `block`
// are x, y, z. False: see harness_message().
bool harness_time(void* harness, const char* ptx, const char* entry, const unsigned* grid,
                  const unsigned* block, const std::byte* arguments, std::size_t argument_bytes,
                  float* samples, std::size_t count) {
  auto& [device, message] = *static_cast<Harness*>(harness);
  const auto kernel = device->load(ptx, entry);
  if (!kernel) {
    message = kernel.error().message;
    return false;
  }
  const tilestep::gpu::LaunchShape shape{.grid = {grid[0], grid[1], grid[2]},
                                         .block = {block[0], block[1], block[2]}};
  try {
    for (std::size_t i = 0; i < count; ++i) {
      samples[i] = device->time(*kernel, shape, {arguments, argument_bytes});
    }
  } catch (const std::exception& error) {
    message = error.what();
    return false;
  }
  return true;
}

}  // extern "C"
