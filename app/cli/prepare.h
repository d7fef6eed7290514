// Makes a program that is ready to run from the options on the command line; shared by check, trace
// and run.
#pragma once

#include "cli/command.h"
#include "cli/launch_options.h"
#include "loading/prepare.h"
#include "problem/describe/catalog.h"
#include "problem/result.h"
#include "record/recording.h"
#include "simt/machine/schedule.h"
#include "timing/dataset.h"

#include <mutex>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tilestep::cli {

// A prepared launch, and the options of its execution.
struct Prepared : loading::Prepared {
  problem::LaunchSpec spec;
  simt::Schedule schedule;
  std::string guessed;  // sentences about a launch without a description; else empty
};

// Catalog, description, launch, compile, program; the first failure is the error. It contains the
// compiler's messages line by line. `architecture`: see loading::PrepareOptions. A .cu without a
// description is inferred (describe.h) once: `known` is the result of an earlier call.
[[nodiscard]] Result<Prepared> prepare(Context& context, const LaunchOptions& options,
                                       compile::Build build, int architecture = 0,
                                       problem::BufferContents contents = {},
                                       const problem::LaunchSpec* known = nullptr);

// Executes and records the launch, with a progress line that begins with the command's name.
[[nodiscard]] Result<std::shared_ptr<const record::Recording>> record_run(
    const Prepared& prepared, const std::string& command);

// Prints guesses to stderr, if there are any.
void tell_guess(const std::string& guessed);
void tell_guess(const Prepared& prepared);

// A kernel that is not in the catalog, for a window or picture: described by flags or by another
// file, or a .cu whose launch is inferred. Its id is the name in the options. Nullopt: the options
// name a kernel of the catalog, or a .cu with its description beside it.
struct OwnKernel {
  problem::LaunchSpec spec;
  std::string guessed;  // as Prepared; also for a launch with findings, which is shown
};
[[nodiscard]] Result<std::optional<OwnKernel>> own_kernel(Context& context,
                                                          const problem::Catalog& catalog,
                                                          const LaunchOptions& options);

// "tiled  8×8×8  BLOCK_SIZE 4  2×2 blocks of 4×4 threads"
[[nodiscard]] std::string headline(const Prepared& prepared);

// The compiler's messages, line by line.
[[nodiscard]] Error compile_error(const loading::LoadFailure& failure);

// Prints the sentence to stderr and returns 2.
[[nodiscard]] int wrong_use(const Error& error);
// The exit status of a finished subcommand, or wrong_use().
[[nodiscard]] int status_of(const Result<int>& done);

// Ctrl-C as a flag, without a signal handler (which could reach only globals).

// During its lifetime, SIGINT and SIGTERM set cancelled() instead of ending the program. A second
// signal ends it (a kernel may never return), and so does a timeout for checking cancelled(). AtEnd
// saves what must not be lost then. Create it before any other thread: they inherit the mask.
class Interrupt {
 public:
  explicit Interrupt(std::chrono::milliseconds grace = std::chrono::milliseconds(400));
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  Interrupt(Interrupt&&) = delete;
  Interrupt& operator=(Interrupt&&) = delete;

  [[nodiscard]] const std::atomic<bool>& cancelled() const { return cancelled_; }

  // During its lifetime, another thread calls `save` before the program is ended. The destructor
  // waits for a running call, after which the program ends.
  class AtEnd {
   public:
    AtEnd(Interrupt& interrupt, std::function<void()> save) : interrupt_(interrupt) {
      interrupt_.set_save(std::move(save));
    }
    ~AtEnd() { interrupt_.set_save({}); }
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
    AtEnd(AtEnd&&) = delete;
    AtEnd& operator=(AtEnd&&) = delete;

   private:
    Interrupt& interrupt_;
  };

 private:
  void set_save(std::function<void()> save);
  [[noreturn]] void end_program(int status);  // after a last call of what AtEnd set
  void watch();

  struct Signals;  // the system's part

  std::chrono::milliseconds grace_;
  std::unique_ptr<Signals> signals_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;  // for save_
  std::function<void()> save_;
  std::thread watcher_;
};

// Shared by the commands about lessons.

// The tools that evaluate a lesson's expressions.
struct CourseTools {
  problem::Catalog catalog;
  timing::UnreadDataSet dataset;
};
[[nodiscard]] Result<CourseTools> course_tools(const Context& context);

// The files of the shipped lessons, by name.
[[nodiscard]] std::vector<std::filesystem::path> lesson_files(const Context& context);

}  // namespace tilestep::cli
