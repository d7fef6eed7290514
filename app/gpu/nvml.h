// NVML (libnvidia-ml.so.1): the driver's version, clocks, power and temperature of one device, as
// declared by the NVML API reference manual. Everything it says is optional.
#pragma once

#include "gpu/device.h"
#include "gpu/probe.h"
#include "problem/file.h"
#include "problem/result.h"

#include <memory>
#include <string>

namespace tilestep::gpu {

struct NvmlDeviceTag;

class Nvml {
 public:
  // Fails with the sentence doctor shows.
  [[nodiscard]] static Result<Nvml> open(const LibraryNames& names);

  [[nodiscard]] std::string driver_version() const;  // "580.159.03"; empty: NVML did not say

  // The device with this PCI bus id (cuDeviceGetPCIBusId): CUDA and NVML count devices differently.
  void select(const std::string& pci_bus_id);
  [[nodiscard]] Clocks clocks() const;         // zeros where NVML did not say
  [[nodiscard]] int max_sm_clock_mhz() const;  // 0: did not say

 private:
  struct Api {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*system_driver_version)(char* text, unsigned bytes) = nullptr;
    int (*device_by_pci)(const char* pci_bus_id, NvmlDeviceTag** device) = nullptr;
    int (*clock)(NvmlDeviceTag* device, int type, unsigned* mhz) = nullptr;
    int (*max_clock)(NvmlDeviceTag* device, int type, unsigned* mhz) = nullptr;
    int (*power)(NvmlDeviceTag* device, unsigned* milliwatts) = nullptr;
    int (*temperature)(NvmlDeviceTag* device, int sensor, unsigned* celsius) = nullptr;
    int (*held_back)(NvmlDeviceTag* device, unsigned long long* reasons) = nullptr;
  };

  SharedLibrary library_;
  Api api_;
  std::shared_ptr<void> session_;  // nvmlShutdown with its last owner
  NvmlDeviceTag* device_ = nullptr;
};

}  // namespace tilestep::gpu
