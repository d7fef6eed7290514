// How the process takes memory from the system.
#pragma once

namespace tilestep::workspace {

// Recordings and sums come and go on several threads. In an arena for each the holes that they
// leave are a quarter of the process. Before there are threads; glibc only.
void share_one_heap();

}  // namespace tilestep::workspace
