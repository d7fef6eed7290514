# cmake -DOUT=… "-DFILES=…;…" -P WriteCountingVersion.cmake: the source of counting_version().
foreach(file IN LISTS FILES)
  file(SHA256 "${file}" digest)
  string(APPEND digests "${digest}")
endforeach()
string(SHA256 digest "${digests}")
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [[
#include "workspace/kept_answers.h"

namespace tilestep::workspace {

const char* counting_version() {
  return "@digest@";
}

}  // namespace tilestep::workspace
]])
