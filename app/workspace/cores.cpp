#include "workspace/cores.h"

#include <algorithm>
#include <future>
#include <thread>
#include <vector>

namespace tilestep::workspace {

insight::Cores cores(std::size_t count) {
  insight::Cores cores;
  cores.count = count != 0 ? count : std::max(1U, std::thread::hardware_concurrency());
  cores.run = [](std::size_t parts, const std::function<void(std::size_t)>& f) {
    std::vector<std::future<void>> others;
    for (std::size_t part = 1; part < parts; ++part) {
      others.push_back(std::async(std::launch::async, f, part));
    }
    f(0);
    for (std::future<void>& other : others) {
      other.get();
    }
  };
  return cores;
}

}  // namespace tilestep::workspace
