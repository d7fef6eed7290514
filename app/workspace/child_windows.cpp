// Child processes on Windows (learn.microsoft.com, "Creating a Child Process with Redirected Input
// and Output").
#include "problem/tr.h"
#include "workspace/child.h"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <io.h>
#include <system_error>
#include <windows.h>

namespace tilestep::workspace {
namespace {

constexpr DWORD kStopped = 128 + 15;  // exit statuses as a shell on Linux reports them
constexpr DWORD kKilled = 128 + 9;

HANDLE handle_of(std::intptr_t process) {
  return reinterpret_cast<HANDLE>(process);
}

HANDLE handle_of(const OwnedDescriptor& file) {
  return reinterpret_cast<HANDLE>(_get_osfhandle(file.number()));
}

std::string last_error() {
  return std::system_category().message(static_cast<int>(GetLastError()));
}

// A file that a child may inherit, deleted with its last handle.
OwnedDescriptor temporary_file() {
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  std::array<wchar_t, MAX_PATH> name{};
  GetTempFileNameW(std::filesystem::temp_directory_path().c_str(), L"tls", 0, name.data());
  HANDLE const file =
      CreateFileW(name.data(), GENERIC_READ | GENERIC_WRITE,
                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inherited, CREATE_ALWAYS,
                  FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
  return OwnedDescriptor(_open_osfhandle(reinterpret_cast<intptr_t>(file), _O_BINARY));
}

std::string all_of(const OwnedDescriptor& file) {
  std::string text;
  std::array<char, 4096> part{};
  OVERLAPPED at{};
  DWORD count = 0;
  while (ReadFile(handle_of(file), part.data(), static_cast<DWORD>(part.size()), &count, &at) !=
             0 &&
         count > 0) {
    text.append(part.data(), count);
    at.Offset = static_cast<DWORD>(text.size());
    at.OffsetHigh = static_cast<DWORD>(static_cast<std::uint64_t>(text.size()) >> 32U);
  }
  return text;
}

// One argument as CommandLineToArgvW reads it ("Parsing C++ command-line arguments").
std::string quoted(const std::string& argument) {
  std::string all = "\"";
  std::size_t backslashes = 0;
  for (const char c : argument) {
    if (c == '\\') {
      ++backslashes;
      continue;
    }
    all.append(c == '"' ? 2 * backslashes + 1 : backslashes, '\\');
    all += c;
    backslashes = 0;
  }
  all.append(2 * backslashes, '\\');
  return all + "\"";
}

}  // namespace

void OwnedDescriptor::reset() {
  if (number_ >= 0) {
    ::_close(std::exchange(number_, -1));
  }
}

Result<Child> Child::start(const std::vector<std::string>& arguments,
                           std::optional<std::string_view> input) {
  Child child;
  child.output_ = temporary_file();
  child.errors_ = temporary_file();
  OwnedDescriptor theirs;
  if (input) {
    theirs = temporary_file();
    DWORD written = 0;
    WriteFile(handle_of(theirs), input->data(), static_cast<DWORD>(input->size()), &written,
              nullptr);
    SetFilePointer(handle_of(theirs), 0, nullptr, FILE_BEGIN);
  } else {
    SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
    HANDLE read = nullptr;
    HANDLE write = nullptr;
    if (CreatePipe(&read, &write, &inherited, 0) == 0) {
      return fail(tr("{} cannot be started: {}.", arguments[0], last_error()));
    }
    SetHandleInformation(write, HANDLE_FLAG_INHERIT, 0);
    theirs = OwnedDescriptor(_open_osfhandle(reinterpret_cast<intptr_t>(read), _O_BINARY));
    child.input_ = OwnedDescriptor(_open_osfhandle(reinterpret_cast<intptr_t>(write), _O_BINARY));
  }
  std::string line;
  for (const std::string& argument : arguments) {
    line += (line.empty() ? "" : " ") + quoted(argument);
  }
  STARTUPINFOA settings{};
  settings.cb = sizeof(settings);
  settings.dwFlags = STARTF_USESTDHANDLES;
  settings.hStdInput = handle_of(theirs);
  settings.hStdOutput = handle_of(child.output_);
  settings.hStdError = handle_of(child.errors_);
  PROCESS_INFORMATION made{};
  if (CreateProcessA(nullptr, line.data(), nullptr, nullptr, TRUE, CREATE_NO_WINDOW, nullptr,
                     nullptr, &settings, &made) == 0) {
    return fail(tr("{} cannot be started: {}.", arguments[0], last_error()));
  }
  CloseHandle(made.hThread);
  child.process_ = reinterpret_cast<std::intptr_t>(made.hProcess);
  return child;
}

Child::~Child() {
  if (process_ != -1) {
    kill();
    CloseHandle(handle_of(process_));
  }
}

bool Child::write(std::span<const unsigned char> bytes) {
  while (!bytes.empty()) {
    DWORD written = 0;
    if (WriteFile(handle_of(input_), bytes.data(), static_cast<DWORD>(bytes.size()), &written,
                  nullptr) == 0) {
      return false;
    }
    bytes = bytes.subspan(written);
  }
  return true;
}

bool Child::is_running() {
  return !wait_for(std::chrono::milliseconds(0));
}

int Child::wait() {
  static_cast<void>(wait_for(std::chrono::milliseconds(INFINITE)));
  return status_.value_or(static_cast<int>(kKilled));
}

bool Child::wait_for(std::chrono::milliseconds longest) {
  if (process_ == -1 || status_) {
    return true;
  }
  if (WaitForSingleObject(handle_of(process_), static_cast<DWORD>(longest.count())) !=
      WAIT_OBJECT_0) {
    return false;
  }
  DWORD status = 0;
  GetExitCodeProcess(handle_of(process_), &status);
  status_ = static_cast<int>(status);
  return true;
}

// Windows has no request to end for a process without a console or window.
void Child::stop() {
  if (is_running()) {
    TerminateProcess(handle_of(process_), kStopped);
  }
}

void Child::kill() {
  if (is_running()) {
    TerminateProcess(handle_of(process_), kKilled);
  }
}

std::string Child::output() const {
  return all_of(output_);
}

std::string Child::errors() const {
  return all_of(errors_);
}

std::string own_program() {
  std::array<char, 32768> path{};
  GetModuleFileNameA(nullptr, path.data(), static_cast<DWORD>(path.size()));
  return path.data();
}

}  // namespace tilestep::workspace
