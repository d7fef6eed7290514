// Without execve a program is not restarted in its process. A browser and Windows keep the session.
#include "platform/comeback.h"

namespace tilestep::platform {

bool has_come_back() {
  return false;
}

void come_back_from_now_on() {}

void come_back() {}

}  // namespace tilestep::platform
