#include "problem/file.h"

#include <cstdlib>

#ifdef _WIN32
#include <system_error>
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace tilestep {
namespace {

#ifdef _WIN32
void* open_library(const std::string& name) {
  return LoadLibraryA(name.c_str());
}
void close_library(void* /*handle*/) {}  // stays, as RTLD_NODELETE does
std::string why_not_opened() {
  return std::system_category().message(static_cast<int>(GetLastError()));
}
#else
void* open_library(const std::string& name) {
  // RTLD_NODELETE: NVIDIA's libraries register exit handlers, which must not point into unmapped
  // code.
  return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}
void close_library(void* handle) {
  dlclose(handle);
}
std::string why_not_opened() {
  const char* const text = dlerror();
  return text == nullptr ? "" : text;
}
#endif

}  // namespace

std::vector<std::filesystem::path> cuda_toolkits() {
  std::vector<std::filesystem::path> folders;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const folder = std::getenv(variable); folder != nullptr && *folder != '\0') {
      folders.emplace_back(folder);
    }
  }
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

Result<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& names) {
  std::string reason = "no library name";
  for (const std::string& name : names) {
    if (void* const handle = open_library(name)) {
      SharedLibrary library;
      library.handle_ = std::shared_ptr<void>(handle, close_library);
      library.name_ = name;
      return library;
    }
    if (std::string text = why_not_opened(); !text.empty()) {
      reason = std::move(text);
    }
  }
  return fail(reason);
}

void* SharedLibrary::symbol(const char* name) const {
#ifdef _WIN32
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_.get()), name));
#else
  return dlsym(handle_.get(), name);
#endif
}

std::string SharedLibrary::path_of(void* symbol) {
#ifdef _WIN32
  constexpr DWORD kByAddress =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  HMODULE module = nullptr;
  std::string path(32768, '\0');
  if (GetModuleHandleExA(kByAddress, static_cast<const char*>(symbol), &module) == 0) {
    return "";
  }
  path.resize(GetModuleFileNameA(module, path.data(), static_cast<DWORD>(path.size())));
  return path;
#else
  Dl_info place{};
  return dladdr(symbol, &place) != 0 && place.dli_fname != nullptr ? place.dli_fname : "";
#endif
}

}  // namespace tilestep
