// Finds NVIDIA's libraries and devices without creating a context.
#include "gpu/probe.h"

#include "gpu/device.h"
#include "gpu/driver_api.h"
#include "problem/file.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace tilestep::gpu {

namespace {

void ask_device(const DriverApi& api, Probe& probe) {
  const Result<CuDevice> device = device_at(api, 0);
  if (!device) {
    probe.device_message = device.error().message;
    return;
  }
  std::array<char, 256> name{};
  std::size_t memory = 0;
  int major = 0;
  int minor = 0;
  const bool answered =
      api.device_get_name(name.data(), static_cast<int>(name.size() - 1), *device) ==
          kCudaSuccess &&
      api.device_total_mem(&memory, *device) == kCudaSuccess &&
      api.device_get_attribute(&major, kAttributeComputeMajor, *device) == kCudaSuccess &&
      api.device_get_attribute(&minor, kAttributeComputeMinor, *device) == kCudaSuccess;
  if (!answered) {
    probe.device_message =
        tr("No GPU: the driver did not report a device name. Check that nvidia-smi runs.");
    return;
  }
  probe.device_found = true;
  probe.device_message =
      tr("{}, compute capability {}.{}, {:.0f} GiB", name.data(), major, minor,
         static_cast<double>(memory) / static_cast<double>(std::size_t{1} << 30));
}

void ask_driver(const LibraryNames& libraries, Probe& probe) {
  const Result<Driver> driver = open_driver(libraries);
  if (!driver) {
    probe.driver_message = driver.error().message;
    probe.device_message = tr("No GPU: detection needs a driver.");
    return;
  }
  probe.driver_found = true;
  int version = 0;
  driver->api.driver_get_version(&version);
  probe.driver_message =
      tr("{}, supports CUDA {}.{}", driver->library.name(), version / 1000, version % 1000 / 10);
  ask_device(driver->api, probe);
}

}  // namespace

LibraryNames default_libraries() {
  LibraryNames names;
#ifdef _WIN32  // NVIDIA's installers put cuBLAS on PATH
  names.driver = {"nvcuda.dll"};
  names.nvml = {"nvml.dll"};
  names.cublas = {"cublas64_13.dll", "cublas64_12.dll"};
#else
  names.driver = {"libcuda.so.1"};
  names.nvml = {"libnvidia-ml.so.1"};
  names.cublas = {"libcublas.so.13", "libcublas.so.12"};
  for (const std::filesystem::path& toolkit : cuda_toolkits()) {
    for (const char* version : {"13", "12"}) {
      names.cublas.push_back(fmt::format("{}/lib64/libcublas.so.{}", toolkit.string(), version));
    }
  }
#endif
  return names;
}

Probe probe_device(const LibraryNames& libraries) {
  Probe probe;
  ask_driver(libraries, probe);
  return probe;
}

Probe probe(const LibraryNames& libraries) {
  Probe probe = probe_device(libraries);
  if (const Result<Cublas> cublas = open_cublas(libraries)) {
    probe.cublas_found = true;
    probe.cublas_version = cublas->version;
    probe.cublas_message = fmt::format("cuBLAS {} ({})", cublas->version, cublas->library.name());
  } else {
    probe.cublas_message = cublas.error().message;
  }
  if (const Result<Nvml> nvml = Nvml::open(libraries)) {
    probe.nvml_found = true;
    probe.nvml_message = tr("NVML, driver {}", nvml->driver_version());
  } else {
    probe.nvml_message = nvml.error().message;
  }
  return probe;
}

}  // namespace tilestep::gpu
