// A value that copies share until one of them changes it.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace tilestep::simt {

// Copies may be made and dropped in several threads at once; one copy is for one thread, as any
// value is.
template <class T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;
  explicit CopyOnWrite(std::shared_ptr<T> value) : value_(std::move(value)) {}

  explicit operator bool() const { return value_ != nullptr; }
  [[nodiscard]] const T* get() const { return value_.get(); }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

  // To change it: copied first where others hold it too.
  [[nodiscard]] T& own() {
    if (!is_sole()) {
      value_ = std::make_shared<T>(*value_);
    }
    return *value_;
  }
  // Gives it up: the value where nobody else holds it, otherwise nullptr.
  [[nodiscard]] std::shared_ptr<T> release() {
    const bool sole = is_sole();
    std::shared_ptr<T> value = std::move(value_);
    return sole ? std::move(value) : nullptr;
  }

  friend bool operator==(const CopyOnWrite& a, const CopyOnWrite& b) {
    return a.value_ == b.value_ ||
           (a.value_ != nullptr && b.value_ != nullptr && *a.value_ == *b.value_);
  }

 private:
  [[nodiscard]] bool is_sole() const {
    const bool sole = value_.use_count() == 1;
    // Whoever dropped it in another thread has read it before.
    std::atomic_thread_fence(std::memory_order_acquire);
    return sole;
  }

  std::shared_ptr<T> value_;
};

}  // namespace tilestep::simt
