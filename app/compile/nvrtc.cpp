#include "compile/nvrtc.h"

#include "compile/diagnostics.h"
#include "problem/file.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <mutex>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <re2/re2.h>
#include <set>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace tilestep::compile {
namespace {

// The part of nvrtc.h that is used, declared here so that a build needs no CUDA headers. This C ABI
// has not changed since CUDA 8 (NVRTC documentation, "User Interface").
using Status = int;
using Program = struct OpaqueProgram*;
constexpr Status kSuccess = 0;
constexpr Status kInvalidOption = 5;
constexpr Status kCompilationFailed = 6;

bool is_at_least(const NvrtcInfo& info, int major, int minor) {
  return info.major > major || (info.major == major && info.minor >= minor);
}

// Several programs compile at once (NVRTC documentation, "Thread Safety").
bool compiles_concurrently(const NvrtcInfo& info) {
  return is_at_least(info, 12, 3);
}

namespace fs = std::filesystem;

constexpr int kNewestMajor = 14;
constexpr int kOldestMajor = 12;  // the first with -std=c++20

// What a system calls the libraries, and where a toolkit keeps them.
#ifdef _WIN32
constexpr const char* kLibraryPattern = R"(nvrtc64_\d+_0\.dll)";
constexpr const char* kLibraryOfMajor = "nvrtc64_{}0_0.dll";
constexpr const char* kBuiltinsStart = "nvrtc-builtins64_";
constexpr std::array kToolkitFolders = {"bin/x64", "bin"};
#else
constexpr const char* kLibraryPattern = R"(libnvrtc\.so(\.\d+)*)";
constexpr const char* kLibraryOfMajor = "libnvrtc.so.{}";
constexpr const char* kBuiltinsStart = "libnvrtc-builtins.so.";
constexpr std::array kToolkitFolders = {"lib64", "targets/x86_64-linux/lib", "lib"};
#endif

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    found.push_back(it->path());
  }
  std::sort(found.begin(), found.end(), std::greater<>());  // newer versions first
  return found;
}

// libnvrtc.so, libnvrtc.so.13, … in a folder; not its builtins.
void add_libraries(const fs::path& folder, std::vector<std::string>& candidates) {
  static const RE2 name(kLibraryPattern, RE2::Latin1);
  for (const fs::path& file : entries(folder)) {
    if (RE2::FullMatch(file.filename().string(), name)) {
      candidates.push_back(file.string());
    }
  }
}

void add_toolkit(const fs::path& root, std::vector<std::string>& candidates) {
  for (const char* folder : kToolkitFolders) {
    add_libraries(root / folder, candidates);
  }
}

std::vector<fs::path> toolkit_roots() {
  std::vector<fs::path> roots = cuda_toolkits();
  for (const fs::path& folder : entries("/usr/local")) {
    if (folder.filename().string().starts_with("cuda-")) {
      roots.push_back(folder);
    }
  }
  return roots;
}

// $XDG_CACHE_HOME or ~/.cache; empty if both are unknown.
fs::path user_cache_root() {
  if (const std::string cache = environment("XDG_CACHE_HOME"); fs::path(cache).is_absolute()) {
    return cache;  // the XDG specification: ignore a relative path
  }
  const std::string home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache";
}

// The toolkit's header folder that belongs to the library at `library`; empty if there is none.
fs::path toolkit_include(const fs::path& library) {
  std::error_code ignored;
  const fs::path real = fs::canonical(library, ignored);
  std::vector<fs::path> roots{real.parent_path().parent_path()};
  for (const fs::path& root : toolkit_roots()) {
    roots.push_back(root);
  }
  for (const fs::path& root : roots) {
    if (fs::exists(root / "include" / "cuda_fp16.h", ignored)) {
      return root / "include";
    }
  }
  return {};
}

}  // namespace

struct Nvrtc::Api {
  const char* (*error_string)(Status) = nullptr;
  Status (*version)(int* major, int* minor) = nullptr;
  Status (*create)(Program*, const char* source, const char* name, int header_count,
                   const char* const* headers, const char* const* include_names) = nullptr;
  Status (*destroy)(Program*) = nullptr;
  Status (*compile)(Program, int count, const char* const* options) = nullptr;
  Status (*ptx_size)(Program, std::size_t*) = nullptr;
  Status (*ptx)(Program, char*) = nullptr;
  Status (*cubin_size)(Program, std::size_t*) = nullptr;
  Status (*cubin)(Program, char*) = nullptr;
  Status (*log_size)(Program, std::size_t*) = nullptr;
  Status (*log)(Program, char*) = nullptr;
  Status (*add_name)(Program, const char*) = nullptr;
  Status (*lowered_name)(Program, const char*, const char**) = nullptr;

  NvrtcInfo info;
  std::mutex one_at_a_time;  // for versions that need it
  std::mutex of_sound_texts;
  std::set<std::string> sound_texts;  // keys of requests without a name, which compile

  bool open(const std::string& candidate, std::string& failure);
  bool load_functions(SharedLibrary library, std::string& failure);
  void describe_failure(const std::string& failure);
  [[nodiscard]] tl::unexpected<Error> failed(const Request& request, Status status) const;
  [[nodiscard]] Output output_of(Program program, const Request& request, bool compiled) const;
};

namespace {

// NVRTC opens its built-ins by bare name at its first compile and has no run path, so outside the
// loader's path (a wheel) it does not find them next to itself. A name that is already loaded is
// found.
void open_builtins_beside(const std::filesystem::path& library) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(library.parent_path(), error)) {
    if (entry.path().filename().string().starts_with(kBuiltinsStart) &&
        SharedLibrary::open({entry.path().string()})) {
      return;
    }
  }
}

}  // namespace

bool Nvrtc::Api::load_functions(SharedLibrary library, std::string& failure) {
  library.bind(error_string, "nvrtcGetErrorString");
  library.bind(version, "nvrtcVersion");
  library.bind(create, "nvrtcCreateProgram");
  library.bind(destroy, "nvrtcDestroyProgram");
  library.bind(compile, "nvrtcCompileProgram");
  library.bind(ptx_size, "nvrtcGetPTXSize");
  library.bind(ptx, "nvrtcGetPTX");
  library.bind(cubin_size, "nvrtcGetCUBINSize");
  library.bind(cubin, "nvrtcGetCUBIN");
  library.bind(log_size, "nvrtcGetProgramLogSize");
  library.bind(log, "nvrtcGetProgramLog");
  library.bind(add_name, "nvrtcAddNameExpression");
  library.bind(lowered_name, "nvrtcGetLoweredName");
  if (!library.missing().empty()) {
    failure = tr("it is not NVRTC");
    return false;
  }
  if (version(&info.major, &info.minor) != kSuccess || info.major < 12) {
    failure = tr("NVRTC {}.{} is too old: C++20 needs 12.0", info.major, info.minor);
    return false;
  }
  return true;
}

bool Nvrtc::Api::open(const std::string& candidate, std::string& failure) {
  const Result<SharedLibrary> library = SharedLibrary::open({candidate});
  if (!library) {
    failure = library.error().message;
    return false;
  }
  if (!load_functions(*library, failure)) {
    return false;
  }
  info.found = true;
  info.path = SharedLibrary::path_of(reinterpret_cast<void*>(version));
  open_builtins_beside(info.path);
  info.include = toolkit_include(info.path).string();
  return true;
}

void Nvrtc::Api::describe_failure(const std::string& failure) {
  const char* const chosen = std::getenv("TILESTEP_NVRTC");
  if (chosen != nullptr && *chosen != '\0') {
    info.why_not =
        tr("NVRTC, the CUDA compiler library, cannot be opened at {}, the path in TILESTEP_NVRTC "
           "({}). Correct or unset TILESTEP_NVRTC.",
           chosen, failure.empty() ? tr("no libnvrtc.so in that folder") : failure);
    return;
  }
#ifdef __EMSCRIPTEN__
  info.why_not =
      tr("A browser has no CUDA compiler, and the site has no PTX for this code or cannot be "
         "reached. To compile other code, install Tilestep on your machine: pip install tilestep.");
#elif defined(_WIN32)
  info.why_not =
      tr("NVRTC, the CUDA compiler library, was not found on PATH, in CUDA_PATH or beside "
         "tilestep.exe. "
         "Install the CUDA Toolkit, or put nvrtc64_130_0.dll and nvrtc-builtins64_130.dll beside "
         "tilestep.exe.");
#else
  info.why_not = tr(
      "NVRTC, the CUDA compiler library, was not found on the loader's path, in /usr/local/cuda or "
      "among this program's downloads. Install the CUDA Toolkit, run third_party/fetch.sh nvrtc, "
      "or set TILESTEP_NVRTC to the path of libnvrtc.so.");
#endif
}

Nvrtc::Nvrtc() : api_(std::make_unique<Api>()) {
  static_assert(!std::is_copy_constructible_v<Nvrtc> && !std::is_move_constructible_v<Nvrtc>);
  std::string failure;
  for (const std::string& candidate : nvrtc_candidates()) {
    if (api_->open(candidate, failure)) {
      return;
    }
  }
  api_->describe_failure(failure);
}

Nvrtc::~Nvrtc() = default;

const NvrtcInfo& Nvrtc::info() const {
  return api_->info;
}

namespace {

// Owns an nvrtcProgram.
class OpenProgram {
 public:
  OpenProgram(Program program, Status (*destroy)(Program*))
      : program_(program), destroy_(destroy) {}
  ~OpenProgram() { destroy_(&program_); }
  OpenProgram(const OpenProgram&) = delete;
  OpenProgram& operator=(const OpenProgram&) = delete;
  OpenProgram(OpenProgram&&) = delete;
  OpenProgram& operator=(OpenProgram&&) = delete;

  [[nodiscard]] Program get() const { return program_; }

 private:
  Program program_;
  Status (*destroy_)(Program*);
};
static_assert(!std::is_copy_constructible_v<OpenProgram>);

// NVRTC returns a size, and then the bytes.
std::string bytes_of(Program program, Status (*size_of)(Program, std::size_t*),
                     Status (*read)(Program, char*)) {
  std::size_t size = 0;
  if (size_of(program, &size) != kSuccess) {
    return "";
  }
  std::string bytes(size, '\0');
  return read(program, bytes.data()) == kSuccess ? bytes : "";
}

// For a text, the size includes the terminating 0.
std::string text_of(Program program, Status (*size_of)(Program, std::size_t*),
                    Status (*read)(Program, char*)) {
  std::string text = bytes_of(program, size_of, read);
  if (!text.empty()) {
    text.pop_back();
  }
  return text;
}

bool includes_something(const Request& request) {
  static const RE2 include(R"(#\s*include\b)", RE2::Latin1);
  return RE2::PartialMatch(request.source, include);
}

// Whether a text without includes does without what -minimal leaves out: names that begin with
// cuda, tex and surf, and launches from device code. The product is the same, in two thirds of the
// time.
bool is_minimal(const Request& request, const NvrtcInfo& info) {
  static const RE2 left_out(R"((?i)cuda|\btex|\bsurf|<<<)", RE2::Latin1);
  return is_at_least(info, 12, 4) && request.headers.empty() &&
         !RE2::PartialMatch(request.source, left_out);
}

// The toolkit's headers are not part of the request: the same text has the same key on every
// machine, and a text without includes is compiled with the same options everywhere.
std::vector<std::string> all_options(const Request& request, const NvrtcInfo& info) {
  std::vector<std::string> options = request.options;
  if (!includes_something(request)) {
    if (is_minimal(request, info)) {
      options.emplace_back("-minimal");
    }
  } else if (!info.include.empty()) {
    options.push_back("-I" + info.include);
    options.push_back("-I" + info.include + "/cccl");
  }
  return options;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(text.c_str());
  }
  return pointers;
}

}  // namespace

tl::unexpected<Error> Nvrtc::Api::failed(const Request& request, Status status) const {
  return fail(
      tr("{} was not compiled, because NVRTC failed ({}: {}). Its installation may be incomplete: "
         "libnvrtc-builtins must be in the same folder.",
         request.source_name, info.path, error_string(status)));
}

Output Nvrtc::Api::output_of(Program program, const Request& request, bool compiled) const {
  Output output;
  output.compiler = fmt::format("NVRTC {}.{}", info.major, info.minor);
  output.log = text_of(program, log_size, log);
  output.diagnostics =
      explain_syntax(explain_entry(parse_diagnostics(output.log), request), request);
  output.diagnostics =
      explain_missing(explain_not_simulated(std::move(output.diagnostics)), request);
  output.diagnostics = explain_names(std::move(output.diagnostics), request);
  if (!compiled) {
    return output;
  }
  const char* lowered = nullptr;
  if (!request.name_expression.empty() &&
      lowered_name(program, request.name_expression.c_str(), &lowered) == kSuccess &&
      lowered != nullptr) {  // null after text that is not UTF-8
    output.entry = lowered;
    if (const auto mistake = dropped_arguments(output.entry, request)) {
      output.diagnostics.push_back(*mistake);
      return output;
    }
  }
  if (request.product == Product::Cubin) {
    output.cubin = bytes_of(program, cubin_size, cubin);
  } else {
    output.ptx = text_of(program, ptx_size, ptx);
  }
  return output;
}

// NVRTC 13.0 crashes if an instance is requested of a kernel template whose head has an error, such
// as `template <int B> __global__ void k(cotnst float* A)`. So the text alone is compiled first,
// once for all its instances.
Result<Output> Nvrtc::compile(const Request& request) {
  assert(api_->info.found && "compile() needs an open NVRTC");
  if (request.name_expression.find('<') != std::string::npos) {
    const Request text = make_text_request(request);
    const std::string key = cache_key(text);
    const auto is_sound = [&] {
      const std::lock_guard lock(api_->of_sound_texts);
      return api_->sound_texts.contains(key);
    };
    if (!is_sound()) {
      if (Result<Output> output = compile(text); !output || !output->ok()) {
        return output;
      }
      const std::lock_guard lock(api_->of_sound_texts);
      api_->sound_texts.insert(key);
    }
  }
  std::unique_lock<std::mutex> lock(api_->one_at_a_time, std::defer_lock);
  if (!compiles_concurrently(api_->info)) {
    lock.lock();
  }
  std::vector<const char*> header_texts;
  std::vector<const char*> header_names;
  for (const auto& [name, text] : request.headers) {
    header_names.push_back(name.c_str());
    header_texts.push_back(text.c_str());
  }
  Program raw = nullptr;
  Status status =
      api_->create(&raw, request.source.c_str(), request.source_name.c_str(),
                   static_cast<int>(header_names.size()), header_texts.data(), header_names.data());
  if (status != kSuccess) {
    return api_->failed(request, status);
  }
  const OpenProgram program(raw, api_->destroy);
  if (!request.name_expression.empty()) {
    status = api_->add_name(program.get(), request.name_expression.c_str());
  }
  if (status == kSuccess) {
    const std::vector<std::string> options = all_options(request, api_->info);
    status =
        api_->compile(program.get(), static_cast<int>(options.size()), pointers_to(options).data());
  }
  if (status != kSuccess && status != kCompilationFailed && status != kInvalidOption) {
    return api_->failed(request, status);
  }
  return api_->output_of(program.get(), request, status == kSuccess);
}

fs::path default_cache_directory() {
  const fs::path root = user_cache_root();
  return root.empty() ? root : root / "tilestep" / "ptx";
}

std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> candidates;
  if (const std::string chosen = environment("TILESTEP_NVRTC"); !chosen.empty()) {
    std::error_code ignored;
    if (!fs::is_directory(chosen, ignored)) {
      return {chosen};
    }
    add_libraries(chosen, candidates);
    return candidates;
  }
  for (int major = kNewestMajor; major >= kOldestMajor; --major) {
    candidates.push_back(fmt::format(fmt::runtime(kLibraryOfMajor), major));
  }
  for (const fs::path& root : toolkit_roots()) {
    add_toolkit(root, candidates);
  }
  if (const fs::path cache = user_cache_root(); !cache.empty()) {
    add_libraries(cache / TILESTEP_NVRTC_FOLDER, candidates);
  }
  return candidates;
}

}  // namespace tilestep::compile
