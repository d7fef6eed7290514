# cmake -DSOURCE=… -DOUT=… -DVERSION=… -DBUILD=… -P WriteVersion.cmake: the source of version().
execute_process(
  COMMAND git -C "${SOURCE}" rev-parse --short=7 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(details ${commit} ${BUILD})
list(JOIN details ", " details)
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [[
#include "version.h"

namespace tilestep {

const char* version() {
  return "tilestep @VERSION@ (@details@)";
}

}  // namespace tilestep
]])
