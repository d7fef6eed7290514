// A shared library opened with dlopen. Its code stays mapped to the end of the process: NVIDIA's
// libraries register exit handlers and keep threads of their own.
#pragma once

#include "problem/result.h"

#include <memory>
#include <string>
#include <vector>

namespace tilestep {

class SharedLibrary {
 public:
  // The first of `names` that opens. The error is the dynamic linker's own text for the last one.
  [[nodiscard]] static Result<SharedLibrary> open(const std::vector<std::string>& names);

  // Null when the library has no such symbol.
  [[nodiscard]] void* symbol(const char* name) const;
  [[nodiscard]] const std::string& name() const { return name_; }

  // Points `function` at a symbol, or notes its name in missing().
  template <class Function>
  void bind(Function*& function, const char* symbol_name) {
    function = reinterpret_cast<Function*>(symbol(symbol_name));
    if (function == nullptr) {
      missing_.emplace_back(symbol_name);
    }
  }
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

 private:
  std::shared_ptr<void> handle_;
  std::string name_;
  std::vector<std::string> missing_;
};

}  // namespace tilestep
