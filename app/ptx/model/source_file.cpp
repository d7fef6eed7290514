#include "ptx/model/source_file.h"

#include <algorithm>
#include <utility>

namespace tilestep::ptx {
namespace {

std::uint32_t file_of_first_kernel(const Module& module) {
  for (const Function& function : module.functions) {
    if (function.is_entry && function.lines.size() > 1) {
      return function.lines[1].file;
    }
  }
  return kSourceFile;
}

}  // namespace

std::uint32_t make_source_file_first(Module& module) {
  std::uint32_t number = file_of_first_kernel(module);
  // A text may name files that it has no .file for, the first one among them.
  if (number == kSourceFile || std::max(number, kSourceFile) >= module.files.size()) {
    return kSourceFile;
  }
  std::swap(module.files[kSourceFile], module.files[number]);
  for (Function& function : module.functions) {
    for (Line& line : function.lines) {
      if (line.file == number) {
        line.file = kSourceFile;
      } else if (line.file == kSourceFile) {
        line.file = number;
      }
    }
  }
  return number;
}

}  // namespace tilestep::ptx
