// The one worker pool: jobs go in by value, and their results are functions that the owner runs on
// its own thread. Destroying the pool waits for running jobs and drops waiting ones.
//
// Urgent jobs never wait for jobs that are only useful later: each kind has its own threads, and
// the system gives the urgent ones a higher priority.
#pragma once

#include "insight/names.h"

#include <functional>
#include <memory>

namespace tilestep::workspace {

// The result of a job: run by Pool::apply_results() on the owner's thread.
using Completion = std::function<void()>;
using Job = std::function<Completion()>;

enum class Urgency { Now, Later };

// A page has threads only if its host sends certain headers, which plain hosts do not.
#ifdef __EMSCRIPTEN__
inline constexpr bool kHasThreads = false;
#else
inline constexpr bool kHasThreads = true;
#endif

class Pool {
 public:
  // `later_threads` may be 0: then all jobs share the same threads in order. Without any thread, as
  // in a browser, the owner runs the jobs: apply_results() runs one, the urgent ones first.
  explicit Pool(int threads, int later_threads = 0);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  Pool(Pool&&) = delete;
  Pool& operator=(Pool&&) = delete;

  void submit(Job job, Urgency urgency = Urgency::Now);
  // Called by a running job: a function that the owner runs meanwhile.
  void hand_over(Completion result);
  // Runs the results of finished jobs in the order they finished; returns true if there were any.
  // Without threads it runs a job first, one that is useful later only if `least` allows it.
  bool apply_results(Urgency least = Urgency::Later);
  // Jobs that are waiting, running, or finished and not applied.
  [[nodiscard]] std::size_t pending() const;
  // Blocks until a job has finished (or none is pending).
  void wait_for_result();
  // Sets a function that a worker thread calls whenever a job has finished.
  void on_result(std::function<void()> wake);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Processor cores for the parallel work of a room without threads (insight::Cores).

// `count` cores; 0: as many as the system has; without threads one. run() rethrows what a part
// throws.
[[nodiscard]] insight::Cores cores(std::size_t count);

// How the process allocates memory from the system.

// Recordings and sums are allocated and freed on several threads. With an arena per thread,
// fragmentation would be a quarter of the process. Call before threads exist; glibc only.
void share_one_heap();

}  // namespace tilestep::workspace
