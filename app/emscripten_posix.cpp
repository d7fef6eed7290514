// POSIX functions that Emscripten's C library declares and does not have. In a page they fail: it
// has no other programs, and no other threads to signal.
#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>

extern "C" {

int memfd_create(const char* /*name*/, unsigned /*flags*/) {
  errno = ENOSYS;
  return -1;
}

int posix_spawnp(pid_t* /*process*/, const char* /*file*/,
                 const posix_spawn_file_actions_t* /*actions*/,
                 const posix_spawnattr_t* /*attributes*/, char* const /*arguments*/[],
                 char* const /*variables*/[]) {
  return ENOSYS;
}

int pthread_kill(pthread_t /*thread*/, int /*signal*/) {
  return ESRCH;
}
}
