// Another program, run beside this one.
#pragma once

#include "problem/result.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace tilestep::workspace {

// Owns a file descriptor.
class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  explicit OwnedDescriptor(int number) : number_(number) {}
  ~OwnedDescriptor() { reset(); }
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  void reset();
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

class Child {
 public:
  // `arguments[0]` is looked up in PATH. What the program says goes to memory. `input`: all that it
  // reads; nothing: what write() gives it. Fails with a sentence that says why it does not start.
  [[nodiscard]] static Result<Child> start(const std::vector<std::string>& arguments,
                                           std::optional<std::string_view> input);
  // One that still runs is killed.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  // All of it; false: the program has ended or reads no more.
  [[nodiscard]] bool write(std::span<const unsigned char> bytes);
  void end_input();
  [[nodiscard]] bool is_running();
  // Waits for its end. The exit status; 128 and the signal where one has ended it.
  [[nodiscard]] int wait();
  // Waits for its end, but no longer than that. True: it has ended.
  [[nodiscard]] bool wait_for(std::chrono::milliseconds longest);
  // Asks it to end (SIGTERM).
  void stop();
  // Ends it (SIGKILL).
  void kill();
  // What it has printed so far.
  [[nodiscard]] std::string output() const;
  [[nodiscard]] std::string errors() const;

 private:
  Child() = default;

  pid_t process_ = -1;
  std::optional<int> status_;
  OwnedDescriptor input_;
  OwnedDescriptor output_;
  OwnedDescriptor errors_;
};

// Other programs of this machine.

// Where a tool of the CUDA Toolkit is: on PATH, in CUDA_HOME, or where the toolkit installs itself.
// Empty: nowhere.
[[nodiscard]] std::filesystem::path find_cuda_tool(const std::string& name);

// What it writes to standard output. Fails with a sentence where it cannot be started or ends with
// another status than 0. Waits for it.
[[nodiscard]] Result<std::string> output_of(const std::vector<std::string>& command);

}  // namespace tilestep::workspace
