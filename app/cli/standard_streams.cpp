#include "cli/standard_streams.h"

#include "cli/prepare.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace tilestep::cli {

void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) {
      // The wrong way round, so that using it fails. The lowest free number is this one.
      static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

int finish_output(int status, int failed_print) {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  // Closing reports what some file systems find only then.
  const bool failed_now = std::fflush(stdout) != 0 || ::close(STDOUT_FILENO) != 0;
  if (!failed_before && !failed_now) {
    return status;
  }
  const int reason = failed_print != 0 ? failed_print : failed_now ? errno : EIO;
  if (reason == EPIPE) {
    return status;
  }
  return wrong_use(
      {tr("Standard output cannot be written: {}. Free some space, or send "
          "it to another place.",
          std::strerror(reason))});
}

}  // namespace tilestep::cli
