// The one worker pool: jobs go in by value, their results come back as functions that the owner
// runs on its own thread. Destroying the pool waits for running jobs and drops the ones that wait.
//
// What somebody waits for never waits for what is only useful later: each kind has threads of its
// own, and the system prefers those of the first.
#pragma once

#include "insight/names.h"

#include <functional>
#include <memory>

namespace tilestep::workspace {

// What a job hands back: run by Pool::apply_results() on the owner's thread.
using Completion = std::function<void()>;
using Job = std::function<Completion()>;

enum class Urgency { Now, Later };

class Pool {
 public:
  // `later_threads` may be 0: then all jobs are taken in turn.
  explicit Pool(int threads, int later_threads = 0);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  Pool(Pool&&) = delete;
  Pool& operator=(Pool&&) = delete;

  void submit(Job job, Urgency urgency = Urgency::Now);
  // From a job that goes on: what the owner is to run meanwhile.
  void hand_over(Completion result);
  // Runs what finished jobs handed back, in the order they finished; true when there was any.
  bool apply_results();
  // Jobs waiting, running, or finished and not applied.
  [[nodiscard]] std::size_t pending() const;
  // Blocks until some job has finished (or none is pending).
  void wait_for_result() const;
  // Called from a worker thread whenever a job has finished.
  void on_result(std::function<void()> wake);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Processor cores for work that a room without threads hands out (insight::Cores).

// `count` cores; 0: as many as the system has. What a part throws comes out of run().
[[nodiscard]] insight::Cores cores(std::size_t count);

// How the process takes memory from the system.

// Recordings and sums come and go on several threads. In an arena for each the holes that they
// leave are a quarter of the process. Before there are threads; glibc only.
void share_one_heap();

}  // namespace tilestep::workspace
