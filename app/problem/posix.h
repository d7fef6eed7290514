// The POSIX functions that several rooms use, also on Windows, whose C library has most of them.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _WIN32
#include <io.h>

// No child process inherits it, and line ends stay as they are.
inline constexpr int O_CLOEXEC = _O_NOINHERIT | _O_BINARY;
inline constexpr int O_NONBLOCK = 0;
inline constexpr int O_NOCTTY = 0;
inline constexpr int F_GETFD = 1;
inline constexpr int F_SETFL = 4;
#ifndef EDQUOT
inline constexpr int EDQUOT = ENOSPC;
#endif

// NOLINTBEGIN(readability-identifier-naming): POSIX's names
inline int fcntl(int descriptor, int /*command*/, int /*argument*/ = 0) {
  return _get_osfhandle(descriptor) == -1 ? -1 : 0;
}
inline int fsync(int descriptor) {
  return _commit(descriptor);
}
extern "C" __declspec(dllimport) unsigned long __stdcall GetCurrentThreadId();
inline unsigned long gettid() {
  return GetCurrentThreadId();
}
constexpr bool S_ISSOCK(unsigned /*mode*/) {
  return false;
}
// NOLINTEND(readability-identifier-naming)
#endif
