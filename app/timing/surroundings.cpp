#include "timing/surroundings.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
namespace tilestep::timing {

namespace {

// The value of the first line that starts with `key`, up to the separator after it.
std::string look_up(const char* file, const std::string& key, char separator) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind(key, 0) != 0) {
      continue;
    }
    const std::size_t start = line.find_first_not_of(" \t\"", line.find(separator) + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    return start == std::string::npos ? std::string() : line.substr(start, end + 1 - start);
  }
  return {};
}

}  // namespace

std::string utc_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

std::string host_description() {
  const std::string system = look_up("/etc/os-release", "PRETTY_NAME", '=');
  const std::string cpu = look_up("/proc/cpuinfo", "model name", ':');
  return fmt::format("{}{}{}", system, system.empty() || cpu.empty() ? "" : ", ", cpu);
}

}  // namespace tilestep::timing
