#include "gpu/nvml.h"

#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <utility>

namespace tilestep::gpu {

namespace {

constexpr int kNvmlSuccess = 0;
// nvmlClockType_t
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
// nvmlTemperatureSensors_t
constexpr int kSensorGpu = 0;

// nvmlClocksEventReason…; an idle GPU (bit 0) is held back by nothing.
std::string reasons_text(unsigned long long reasons) {
  constexpr std::pair<unsigned long long, const char*> kReasons[] = {
      {0x2, "application clocks"}, {0x4, "power cap"},       {0x8, "hardware slowdown"},
      {0x10, "sync boost"},        {0x20, "thermal"},        {0x40, "hardware thermal"},
      {0x80, "power brake"},       {0x100, "display clocks"}};
  std::string text;
  for (const auto& [bit, name] : kReasons) {
    if ((reasons & bit) != 0) {
      text += (text.empty() ? "" : ", ") + std::string(name);
    }
  }
  return text;
}

}  // namespace

Result<Nvml> Nvml::open(const LibraryNames& names) {
  Result<SharedLibrary> library = SharedLibrary::open(names.nvml);
  if (!library) {
    return fail(
        tr("No NVML: {}. It comes with the NVIDIA driver; without it, clock rates are unknown.",
           library.error().message));
  }
  Nvml nvml;
  nvml.library_ = std::move(*library);
  nvml.library_.bind(nvml.api_.init, "nvmlInit_v2");
  nvml.library_.bind(nvml.api_.shutdown, "nvmlShutdown");
  nvml.library_.bind(nvml.api_.system_driver_version, "nvmlSystemGetDriverVersion");
  nvml.library_.bind(nvml.api_.device_by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
  nvml.library_.bind(nvml.api_.clock, "nvmlDeviceGetClockInfo");
  nvml.library_.bind(nvml.api_.max_clock, "nvmlDeviceGetMaxClockInfo");
  nvml.library_.bind(nvml.api_.power, "nvmlDeviceGetPowerUsage");
  nvml.library_.bind(nvml.api_.temperature, "nvmlDeviceGetTemperature");
  nvml.library_.bind(nvml.api_.held_back, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (!nvml.library_.missing().empty()) {
    return fail(tr("NVML {} is too old: it lacks {}. Update the NVIDIA driver.",
                   nvml.library_.name(), fmt::join(nvml.library_.missing(), ", ")));
  }
  if (const int status = nvml.api_.init(); status != kNvmlSuccess) {
    return fail(
        tr("NVML: nvmlInit failed with {}; clock rates are unknown. Check that nvidia-smi runs.",
           status));
  }
  nvml.session_ = std::shared_ptr<void>(
      nullptr, [shutdown = nvml.api_.shutdown](void* /*unused*/) { shutdown(); });
  return nvml;
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  const int status =
      api_.system_driver_version(text.data(), static_cast<unsigned>(text.size() - 1));
  return status == kNvmlSuccess ? std::string(text.data()) : std::string();
}

void Nvml::select(const std::string& pci_bus_id) {
  if (api_.device_by_pci(pci_bus_id.c_str(), &device_) != kNvmlSuccess) {
    device_ = nullptr;
  }
}

Clocks Nvml::clocks() const {
  Clocks clocks;
  if (device_ == nullptr) {
    return clocks;
  }
  unsigned value = 0;
  if (api_.clock(device_, kClockSm, &value) == kNvmlSuccess) {
    clocks.sm_mhz = static_cast<int>(value);
  }
  if (api_.clock(device_, kClockMemory, &value) == kNvmlSuccess) {
    clocks.memory_mhz = static_cast<int>(value);
  }
  if (api_.power(device_, &value) == kNvmlSuccess) {
    clocks.power_watts = static_cast<int>((value + 500) / 1000);
  }
  if (api_.temperature(device_, kSensorGpu, &value) == kNvmlSuccess) {
    clocks.temperature_c = static_cast<int>(value);
  }
  unsigned long long reasons = 0;
  if (api_.held_back(device_, &reasons) == kNvmlSuccess) {
    clocks.held_back_by = reasons_text(reasons);
  }
  return clocks;
}

int Nvml::max_sm_clock_mhz() const {
  unsigned value = 0;
  if (device_ == nullptr || api_.max_clock(device_, kClockSm, &value) != kNvmlSuccess) {
    return 0;
  }
  return static_cast<int>(value);
}

}  // namespace tilestep::gpu
