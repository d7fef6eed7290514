// NVML for the driver in host memory.
#include "gpu/fake_driver.h"

#include <cstring>
#include <string>

using tilestep::fake::driver;

extern "C" {

int nvmlInit_v2() {
  return 0;
}

int nvmlShutdown() {
  return 0;
}

int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  text[std::string("580.1").copy(text, bytes - 1)] = '\0';
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  *device = &driver();
  return std::strcmp(id, "0000:01:00.0") == 0 ? 0 : 6;
}

int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  *mhz = type == 1 ? 1980 : 3201;
  return 0;
}

int nvmlDeviceGetMaxClockInfo(void*, int, unsigned* mhz) {
  *mhz = 2000;
  return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = driver().held_back;
  return 0;
}

int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 41;
  return 0;
}

}  // extern "C"
