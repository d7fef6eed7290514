// Restarts the program in its own process after a crash, or if the display is lost, and opens its
// session, so that a lecture continues at the same beat.
//
// It executes its own file with the same arguments (execve, which a signal handler may call) and
// counts the restarts: after three with less than half a minute between them it ends instead.
#pragma once

namespace tilestep::platform {

// This start replaced a lost one: the session applies, not the arguments.
[[nodiscard]] bool has_come_back();
// Call this once there is something to restart, a visible window. Crash handlers that are already
// set, such as a sanitizer's, stay.
void come_back_from_now_on();
// Restarts if that is enabled; returns otherwise.
void come_back();

}  // namespace tilestep::platform
