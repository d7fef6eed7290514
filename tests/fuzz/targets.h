// The fuzz targets: one function per reader of untrusted bytes, and one for the emulator.
//
// Each takes any bytes and returns; a broken promise of the room aborts, so that libFuzzer keeps
// the bytes. tests/fuzz/cases/<target> holds minimized inputs that once aborted, and some with a
// wide coverage; the test test_fuzz runs them all. CMakeLists.txt lists the targets; a comment at
// the head of each source states its promise.
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
