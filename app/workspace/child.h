// Runs another program as a child process.
#pragma once

#include "problem/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// A running child process.
class Child {
 public:
  // `arguments[0]` is looked up in PATH. The program's output goes to memory. `input`: its whole
  // input; nullopt: write() supplies it. Fails with a sentence if the program cannot be started.
  [[nodiscard]] static Result<Child> start(const std::vector<std::string>& arguments,
                                           std::optional<std::string_view> input);
  // Kills the program if it still runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&& other) noexcept
      : process_(std::exchange(other.process_, -1)),
        status_(other.status_),
        input_(std::move(other.input_)),
        output_(std::move(other.output_)),
        errors_(std::move(other.errors_)) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(status_, other.status_);
    std::swap(input_, other.input_);
    std::swap(output_, other.output_);
    std::swap(errors_, other.errors_);
    return *this;
  }

  // Writes all bytes; false: the program has ended or no longer reads.
  [[nodiscard]] bool write(std::span<const unsigned char> bytes);
  void end_input() { input_.reset(); }
  [[nodiscard]] bool is_running();
  // Waits for its end. Returns the exit status, or 128 plus the signal that ended it.
  [[nodiscard]] int wait();
  // Waits for its end, at most this long. True: it has ended.
  [[nodiscard]] bool wait_for(std::chrono::milliseconds longest);
  // Requests its end (SIGTERM).
  void stop();
  // Ends it (SIGKILL).
  void kill();
  // Its output so far.
  [[nodiscard]] std::string output() const;
  [[nodiscard]] std::string errors() const;

 private:
  Child() = default;

  std::intptr_t process_ = -1;  // its number, on Windows its handle
  std::optional<int> status_;
  OwnedDescriptor input_;
  OwnedDescriptor output_;
  OwnedDescriptor errors_;
};

// The path of this program's own file.
[[nodiscard]] std::string own_program();

}  // namespace tilestep::workspace
