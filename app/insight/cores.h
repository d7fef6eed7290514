// Processor cores, handed in by whoever may start threads.
#pragma once

#include <cstddef>
#include <functional>

namespace tilestep::insight {

// Processor cores that a launch may use. `run(n, f)` calls f(0) … f(n − 1), at once where it can,
// and returns when all have returned; nobody starts threads in this room.
struct Cores {
  std::size_t count = 1;
  std::function<void(std::size_t, const std::function<void(std::size_t)>&)> run;
};

}  // namespace tilestep::insight
