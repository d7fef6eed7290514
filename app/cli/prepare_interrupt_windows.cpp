// Ctrl+C in a console of Windows. The handler has a thread of its own and no argument, so it wakes
// the watcher by an event with a name.
#include "cli/prepare.h"

#include <fmt/format.h>

#include <windows.h>

namespace tilestep::cli {
namespace {

std::string name_of_event() {
  return fmt::format("tilestep-interrupt-{}", GetCurrentProcessId());
}

BOOL WINAPI on_interrupt(DWORD /*kind*/) {
  HANDLE const event = OpenEventA(EVENT_MODIFY_STATE, FALSE, name_of_event().c_str());
  if (event == nullptr) {
    return FALSE;
  }
  SetEvent(event);
  CloseHandle(event);
  return TRUE;
}

}  // namespace

struct Interrupt::Signals {
  HANDLE event = CreateEventA(nullptr, FALSE, FALSE, name_of_event().c_str());
};

Interrupt::Interrupt(std::chrono::milliseconds grace)
    : grace_(grace), signals_(std::make_unique<Signals>()) {
  SetConsoleCtrlHandler(on_interrupt, TRUE);
  watcher_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  ending_ = true;
  SetEvent(signals_->event);
  watcher_.join();
  SetConsoleCtrlHandler(on_interrupt, FALSE);
  CloseHandle(signals_->event);
}

void Interrupt::watch() {
  while (!ending_) {
    const DWORD longest = cancelled_ ? static_cast<DWORD>(grace_.count()) : INFINITE;
    WaitForSingleObject(signals_->event, longest);
    if (ending_) {
      return;
    }
    if (cancelled_.exchange(true)) {
      constexpr int kInterrupted = 130;
      end_program(kInterrupted);
    }
  }
}

}  // namespace tilestep::cli
