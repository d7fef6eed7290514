#include "workspace/pool.h"

#include "problem/file.h"

#include <mutex>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tilestep::workspace {
namespace {

// Applies permanently to the calling thread.
void lower_priority() {
#ifdef __linux__
  constexpr int kNice = 5;  // a third of the time of other threads if all cores are busy
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);  // a failure has no consequence
#endif
}

// The jobs of one urgency.
struct Lane {
  std::condition_variable work;
  std::deque<Job> waiting;
};

}  // namespace

struct Pool::Impl {
  mutable std::mutex mutex;
  std::condition_variable finished;
  std::array<Lane, 2> lanes;  // indexed by Urgency
  std::deque<Completion> results;
  std::size_t running = 0;
  bool stopping = false;
  std::function<void()> wake;
  std::vector<std::thread> threads;
  bool has_later_threads = false;
  static constexpr int kNothing = -1;
  std::atomic<int> awaits = kNothing;  // the next job waits until more files than these are fetched

  Lane& lane(Urgency urgency) {
    return lanes.at(urgency == Urgency::Later && has_later_threads ? 1 : 0);
  }
  [[nodiscard]] std::size_t waiting() const {
    return lanes[0].waiting.size() + lanes[1].waiting.size();
  }

  // The caller holds the mutex.
  void hand_over(Completion result) {
    results.push_back(std::move(result));
    finished.notify_all();
    if (wake) {
      wake();
    }
  }

  void serve(Lane& lane) {
    std::unique_lock lock(mutex);
    while (true) {
      lane.work.wait(lock, [&] { return stopping || !lane.waiting.empty(); });
      if (stopping) {
        return;
      }
      run_next(lane, lock);
    }
  }

  // The caller holds the lock, and the lane has a job.
  void run_next(Lane& lane, std::unique_lock<std::mutex>& lock) {
    Job job = std::move(lane.waiting.front());
    lane.waiting.pop_front();
    ++running;
    lock.unlock();
    std::optional<Completion> result = completed(job);
    lock.lock();
    --running;
    if (result) {
      hand_over(std::move(*result));
    } else {
      lane.waiting.push_front(std::move(job));
    }
  }

  // Nullopt: the job awaits a file, and has to run again.
  std::optional<Completion> completed(const Job& job) {
    const int fetched = problem::files_fetched();
    try {
      awaits = kNothing;
      return job();
    } catch (const problem::FileAwaited&) {
      awaits = fetched;
      return std::nullopt;
    }
  }

  // A pool without threads: runs a job if one is waiting and none has finished.
  void run_one(Urgency least) {
    std::unique_lock lock(mutex);
    Lane& lane = lanes[lanes[0].waiting.empty() && least == Urgency::Later ? 1 : 0];
    if (threads.empty() && results.empty() && running == 0 && !lane.waiting.empty() &&
        awaits != problem::files_fetched()) {
      run_next(lane, lock);
    }
  }
};

Pool::Pool(int threads, int later_threads) : impl_(std::make_unique<Impl>()) {
  impl_->has_later_threads = later_threads > 0 || threads == 0;
  for (int i = 0; i < threads; ++i) {
    impl_->threads.emplace_back([impl = impl_.get()] { impl->serve(impl->lanes[0]); });
  }
  for (int i = 0; i < later_threads; ++i) {
    impl_->threads.emplace_back([impl = impl_.get()] {
      lower_priority();
      impl->serve(impl->lanes[1]);
    });
  }
}

Pool::~Pool() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
    for (Lane& lane : impl_->lanes) {
      lane.waiting.clear();
      lane.work.notify_all();
    }
  }
  for (std::thread& thread : impl_->threads) {
    thread.join();
  }
}

void Pool::submit(Job job, Urgency urgency) {
  const std::lock_guard lock(impl_->mutex);
  Lane& lane = impl_->lane(urgency);
  lane.waiting.push_back(std::move(job));
  lane.work.notify_one();
  if (impl_->threads.empty() && impl_->wake) {
    impl_->wake();
  }
}

void Pool::hand_over(Completion result) {
  const std::lock_guard lock(impl_->mutex);
  impl_->hand_over(std::move(result));
}

bool Pool::apply_results(Urgency least) {
  impl_->run_one(least);
  std::deque<Completion> results;
  {
    const std::lock_guard lock(impl_->mutex);
    results.swap(impl_->results);
  }
  for (const Completion& result : results) {
    if (result) {
      result();
    }
  }
  return !results.empty();
}

std::size_t Pool::pending() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->waiting() + impl_->running + impl_->results.size();
}

void Pool::wait_for_result() {
  impl_->run_one(Urgency::Later);
  std::unique_lock lock(impl_->mutex);
  impl_->finished.wait(lock, [this] {
    return !impl_->results.empty() || (impl_->waiting() == 0 && impl_->running == 0);
  });
}

void Pool::on_result(std::function<void()> wake) {
  const std::lock_guard lock(impl_->mutex);
  impl_->wake = std::move(wake);
}

insight::Cores cores(std::size_t count) {
  insight::Cores cores;
  if constexpr (!kHasThreads) {
    return cores;
  }
  cores.count = count != 0 ? count : std::max(1U, std::thread::hardware_concurrency());
  cores.run = [](std::size_t parts, const std::function<void(std::size_t)>& f) {
    std::vector<std::future<void>> others;
    for (std::size_t part = 1; part < parts; ++part) {
      others.push_back(std::async(std::launch::async, f, part));
    }
    f(0);
    for (std::future<void>& other : others) {
      other.get();
    }
  };
  return cores;
}

void share_one_heap() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);  // fixed: larger blocks are returned to the system at once
  // The next frame reuses what a frame frees; otherwise it would be returned and faulted in again
  // 60 times a second.
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

}  // namespace tilestep::workspace
