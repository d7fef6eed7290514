#include "problem/shared_library.h"

#include <dlfcn.h>

namespace tilestep {

Result<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& names) {
  std::string reason = "no library name";
  for (const std::string& name : names) {
    // RTLD_NODELETE: NVIDIA's libraries register exit handlers, which must not point into unmapped
    // code.
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
      SharedLibrary library;
      library.handle_ =
          std::shared_ptr<void>(handle, [](void* open_handle) { dlclose(open_handle); });
      library.name_ = name;
      return library;
    }
    if (const char* text = dlerror()) {
      reason = text;
    }
  }
  return fail(reason);
}

void* SharedLibrary::symbol(const char* name) const {
  return dlsym(handle_.get(), name);
}

}  // namespace tilestep
