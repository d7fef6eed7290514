// What is fuzzed: one function for each reader of untrusted bytes, and one for the machine.
//
// Each takes any bytes and returns; a broken promise of the room aborts, so that libFuzzer keeps
// the bytes. tests/fuzz/cases/<target> holds the inputs that once did, made small, and some that
// reach far; the test test_fuzz runs them all. CMakeLists.txt lists the targets; what one promises
// stands at the head of its source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tilestep::fuzz {

using Bytes = std::span<const std::uint8_t>;

[[nodiscard]] inline std::string text_of(Bytes bytes) {
  return {bytes.begin(), bytes.end()};
}

struct Target {
  std::string_view name;
  void (*run)(Bytes);
};

[[nodiscard]] std::span<const Target> targets();

}  // namespace tilestep::fuzz
