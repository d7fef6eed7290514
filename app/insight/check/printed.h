// What a launch printed with printf, thread by thread.
#pragma once

#include "problem/problem.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::insight {

struct Printed {
  problem::Dim3 block;
  problem::Dim3 thread;
  std::uint32_t line = 0;  // of the source; 0: unknown
  std::string text;        // as formatted, line ends included
};

// In execution order; a GPU orders the blocks as it runs them.
struct Printout {
  static constexpr std::size_t kMost = 1000;  // texts that are kept

  std::vector<Printed> texts;
  std::uint64_t left_out = 0;

  void add(Printed printed) {
    if (texts.size() < kMost) {
      texts.push_back(std::move(printed));
    } else {
      ++left_out;
    }
  }
  void add(const Printout& other) {
    for (const Printed& printed : other.texts) {
      add(printed);
    }
    left_out += other.left_out;
  }
};

}  // namespace tilestep::insight
