// Where a compiler library may be on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilestep::compile {

// Files and bare sonames for dlopen, best first.
[[nodiscard]] std::vector<std::string> nvrtc_candidates();

// The toolkit's header folder that belongs to the library at `library`; empty when there is none.
[[nodiscard]] std::filesystem::path toolkit_include(const std::filesystem::path& library);

// $XDG_CACHE_HOME or ~/.cache; empty when neither can be told.
[[nodiscard]] std::filesystem::path user_cache_root();

}  // namespace tilestep::compile
