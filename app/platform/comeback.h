// After a crash, or where the display went away, the program starts again in place of itself and
// opens its session: a lecture goes on at the same beat.
//
// It executes its own file with the same arguments (execve, which a signal handler may call) and
// counts how often it did: three times with less than half a minute between, then it ends instead.
#pragma once

namespace tilestep::platform {

// This start took the place of one that was lost: the session counts, not the arguments.
[[nodiscard]] bool has_come_back();
// Called once there is something to come back to, a window that was shown. Where somebody else
// handles crashes, as a sanitizer does, those stay theirs.
void come_back_from_now_on();
// Starts again, if that is wanted; else it returns.
void come_back();

}  // namespace tilestep::platform
