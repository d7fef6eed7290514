#include "compile/compiler.h"

#include "compile/nvrtc.h"
#include "problem/language.h"
#include "problem/tr.h"

#include <mutex>

#include <future>
#include <type_traits>
#include <unordered_map>

namespace tilestep::compile {
namespace {

constexpr std::size_t kMemoryBytes = 64U << 20;

}  // namespace

struct Compiler::Impl {
  explicit Impl(CacheOptions options) : disk(std::move(options)) {}

  Result<Output> make(const Request& request, const std::string& key);
  std::shared_ptr<Nvrtc> open_nvrtc();

  DiskCache disk;

  std::mutex mutex;  // guards the members below
  MemoryCache memory{kMemoryBytes};
  std::unordered_map<std::string, std::shared_future<Result<Output>>> in_flight;

  std::mutex nvrtc_mutex;
  std::shared_ptr<Nvrtc> nvrtc;  // kept once found
};

// Searched again while it is not found: it may have been installed in the meantime.
std::shared_ptr<Nvrtc> Compiler::Impl::open_nvrtc() {
  const std::lock_guard lock(nvrtc_mutex);
  if (!nvrtc || !nvrtc->info().found) {
    nvrtc = std::make_shared<Nvrtc>();
  }
  return nvrtc;
}

Result<Output> Compiler::Impl::make(const Request& request, const std::string& key) {
  if (std::optional<Output> stored = disk.find(key)) {
    return std::move(*stored);
  }
  const std::shared_ptr<Nvrtc> compiler = open_nvrtc();
  if (!compiler->info().found) {
    const char* const meanwhile = request.product == Product::Ptx
                                      ? tr(" (Without NVRTC, only the catalog's unedited kernels "
                                           "work, with BLOCK_SIZE 1 to 32.)")
                                      : "";
    return fail(tr("{} cannot be compiled. {}{}", request.source_name, compiler->info().why_not,
                   meanwhile));
  }
  Result<Output> output = compiler->compile(request);
  if (output && output->ok()) {
    disk.store(key, *output);
  }
  return output;
}

Compiler::Compiler(CacheOptions cache) : impl_(std::make_unique<Impl>(std::move(cache))) {
  static_assert(!std::is_copy_constructible_v<Compiler>);
}

Compiler::~Compiler() = default;
Compiler::Compiler(Compiler&&) noexcept = default;
Compiler& Compiler::operator=(Compiler&&) noexcept = default;

Result<Output> Compiler::compile(const Request& request) {
  const std::string key = cache_key(request);
  const std::string said = key + spoken_language();  // diagnostics contain translated sentences
  std::promise<Result<Output>> promise;
  std::shared_future<Result<Output>> others;
  {
    const std::lock_guard lock(impl_->mutex);
    if (std::optional<Output> output = impl_->memory.find(said)) {
      return std::move(*output);
    }
    const auto [place, is_first] = impl_->in_flight.try_emplace(said);
    if (is_first) {
      place->second = promise.get_future().share();
    } else {
      others = place->second;
    }
  }
  if (others.valid()) {
    Result<Output> output = others.get();
    if (output) {
      output->from_cache = true;
    }
    return output;
  }
  try {
    Result<Output> output = impl_->make(request, key);
    {
      const std::lock_guard lock(impl_->mutex);
      if (output) {
        impl_->memory.store(said, *output);
      }
      impl_->in_flight.erase(said);
    }
    promise.set_value(output);
    return output;
  } catch (...) {
    const std::lock_guard lock(impl_->mutex);
    impl_->in_flight.erase(said);
    promise.set_exception(std::current_exception());
    throw;
  }
}

NvrtcInfo Compiler::nvrtc() {
  return impl_->open_nvrtc()->info();
}

}  // namespace tilestep::compile
