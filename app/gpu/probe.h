// The installed libraries of NVIDIA.
#pragma once

#include <string>
#include <vector>

namespace tilestep::gpu {

// Names for dlopen, in order. The defaults are the names and places of NVIDIA's packages; tests use
// their own driver.
struct LibraryNames {
  std::vector<std::string> driver;
  std::vector<std::string> cublas;
  std::vector<std::string> nvml;
};
[[nodiscard]] LibraryNames default_libraries();

// The results that doctor shows. Each message is one sentence: what was found, or what is missing
// and the cure.
struct Probe {
  bool driver_found = false;
  bool device_found = false;
  bool cublas_found = false;
  bool nvml_found = false;
  std::string driver_message;
  std::string device_message;
  std::string cublas_message;
  std::string nvml_message;
  std::string cublas_version;  // "13.1.0"
};
// Only the driver and its first device: cuBLAS takes 170 MB once it is loaded, with or without a
// device.
[[nodiscard]] Probe probe_device(const LibraryNames& libraries = default_libraries());
// Creates no context, so it is quick and takes no device memory. Never throws.
[[nodiscard]] Probe probe(const LibraryNames& libraries = default_libraries());

}  // namespace tilestep::gpu
