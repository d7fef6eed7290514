// What the program finds on Windows under other names: folders, and the encoding of texts.
#include "main_windows.h"

#include "workspace/child.h"

#include <cstdlib>
#include <filesystem>
#include <windows.h>

namespace tilestep {
namespace {

void set_missing(const char* variable, const std::filesystem::path& value) {
  if (std::getenv(variable) == nullptr) {
    _putenv_s(variable, value.string().c_str());
  }
}

std::filesystem::path folder(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

}  // namespace

void adapt_to_windows() {
  SetConsoleOutputCP(CP_UTF8);
  const std::filesystem::path local = folder("LOCALAPPDATA") / "Tilestep";
  set_missing("HOME", folder("USERPROFILE"));
  set_missing("XDG_CACHE_HOME", local / "cache");
  set_missing("XDG_DATA_HOME", local / "data");
  set_missing("XDG_STATE_HOME", local / "state");
  set_missing("TILESTEP_SHARE",
              std::filesystem::path(workspace::own_program()).parent_path() / "share" / "tilestep");
}

}  // namespace tilestep
