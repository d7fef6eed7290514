// What stands in a data set's provenance about the machine and the moment.
#pragma once

#include <string>

namespace tilestep::timing {

[[nodiscard]] std::string utc_now();           // "2026-11-21T10:24:44Z"
[[nodiscard]] std::string host_description();  // "Ubuntu 24.04.1 LTS, AMD EPYC …"

}  // namespace tilestep::timing
