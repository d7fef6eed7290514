#include "workspace/pool.h"

#include <mutex>

#include <cassert>
#include <condition_variable>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

namespace tilestep::workspace {

struct Pool::Impl {
  mutable std::mutex mutex;
  std::condition_variable work;
  mutable std::condition_variable finished;
  std::deque<Job> waiting;
  std::deque<Completion> results;
  std::size_t running = 0;
  bool stopping = false;
  std::function<void()> wake;
  std::vector<std::thread> threads;

  // Holding the mutex.
  void hand_over(Completion result) {
    results.push_back(std::move(result));
    finished.notify_all();
    if (wake) {
      wake();
    }
  }

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      work.wait(lock, [this] { return stopping || !waiting.empty(); });
      if (stopping) {
        return;
      }
      Job job = std::move(waiting.front());
      waiting.pop_front();
      ++running;
      lock.unlock();
      Completion result = job();
      lock.lock();
      --running;
      hand_over(std::move(result));
    }
  }
};

Pool::Pool(int threads) : impl_(std::make_unique<Impl>()) {
  assert(threads > 0);
  for (int i = 0; i < threads; ++i) {
    impl_->threads.emplace_back([impl = impl_.get()] { impl->serve(); });
  }
}

Pool::~Pool() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
    impl_->waiting.clear();
  }
  impl_->work.notify_all();
  for (std::thread& thread : impl_->threads) {
    thread.join();
  }
}

void Pool::submit(Job job) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->waiting.push_back(std::move(job));
  }
  impl_->work.notify_one();
}

void Pool::hand_over(Completion result) {
  const std::lock_guard lock(impl_->mutex);
  impl_->hand_over(std::move(result));
}

bool Pool::apply_results() {
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
  return impl_->waiting.size() + impl_->running + impl_->results.size();
}

void Pool::wait_for_result() const {
  std::unique_lock lock(impl_->mutex);
  impl_->finished.wait(lock, [this] {
    return !impl_->results.empty() || (impl_->waiting.empty() && impl_->running == 0);
  });
}

void Pool::on_result(std::function<void()> wake) {
  const std::lock_guard lock(impl_->mutex);
  impl_->wake = std::move(wake);
}

}  // namespace tilestep::workspace
