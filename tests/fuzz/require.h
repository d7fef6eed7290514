// A condition that must hold for every input: aborts with the condition's text if it does not.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tilestep::fuzz {

inline void require(bool holds, const std::string& promise) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", promise.c_str());
    std::abort();
  }
}

}  // namespace tilestep::fuzz
