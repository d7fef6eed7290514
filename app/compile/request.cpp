#include "compile/request.h"

#include "compile/cache.h"
#include "compile/compiler.h"
#include "compile/device_part.h"
#include "compile/diagnostics.h"
#include "problem/source/cuda_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilestep::compile {
namespace {

// NVIDIA's own host headers get no message: NVRTC knows what they declare for devices.
std::string missing_header(const std::string& name) {
  if (problem::is_host_header(name)) {
    return "";
  }
  return fmt::format("#warning \"{} {} Compiled without it.\"\n", name, kMissingHeader);
}

// Whether a text tests with __has_include if there is such a header: then it can do without it.
bool asks_for(const std::string& text, const std::string& name) {
  constexpr std::string_view kAsks = "__has_include";
  for (std::size_t at = text.find(kAsks); at != std::string::npos; at = text.find(kAsks, at + 1)) {
    const std::size_t open = text.find_first_not_of(" \t(", at + kAsks.size());
    if (open != std::string::npos && text.compare(open, name.size() + 2, '"' + name + '"') == 0) {
      return true;
    }
  }
  return false;
}

// Whether a text includes headers of the toolkit's C++ library.
bool includes_library(const std::string& text) {
  constexpr std::string_view kParts[] = {
      "cooperative_groups", "cuda/", "cub/", "curand_", "thrust/", "cutlass/", "cute/"};
  return std::ranges::any_of(problem::includes_of(text), [&](const problem::Included& one) {
    return std::ranges::any_of(kParts,
                               [&](std::string_view part) { return one.name.starts_with(part); });
  });
}

struct PredefinedMacro {
  std::string_view name;  // "__INT64_C(c)" if it has parameters
  std::string_view value;

  [[nodiscard]] std::string_view plain() const { return name.substr(0, name.find('(')); }
};

constexpr PredefinedMacro kMacros[] = {
#include "compile/host_macros.inc"
};

constexpr std::string_view kBuiltIn = "__builtin_";

// Built-in functions that nvcc compiles for devices as the function of the same name, by signature.
struct SameFunctions {
  std::string_view result;
  std::string_view parameters;
  std::string_view arguments;
  std::string_view names;  // with a blank before and after each
};
constexpr SameFunctions kSame[] = {
    {"double", "double a", "a",
     " acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 floor j0 "
     "j1 lgamma log log10 log1p log2 logb nearbyint rint round sin sinh sqrt tan tanh tgamma trunc "
     "y0 y1 "},
    {"float", "float a", "a",
     " acosf acoshf asinf asinhf atanf atanhf cbrtf ceilf cosf coshf erfcf erff exp10f exp2f expf "
     "expm1f floorf j0f j1f lgammaf log10f log1pf log2f logbf logf nearbyintf rintf roundf sinf "
     "sinhf sqrtf tanf tanhf tgammaf truncf y0f y1f "},
    {"double", "double a, double b", "a, b",
     " atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder "},
    {"float", "float a, float b", "a, b",
     " atan2f fdimf fmaxf fminf fmodf hypotf nextafterf powf remainderf "},
    {"double", "double a, double b, double c", "a, b, c", " fma "},
    {"float", "float a, float b, float c", "a, b, c", " fmaf "},
    {"double", "double a, int b", "a, b", " ldexp scalbn "},
    {"float", "float a, int b", "a, b", " ldexpf scalbnf "},
    {"double", "double a, long b", "a, b", " scalbln "},
    {"float", "float a, long b", "a, b", " scalblnf "},
    {"double", "int a, double b", "a, b", " jn yn "},
    {"float", "int a, float b", "a, b", " jnf ynf "},
    {"double", "double a, int* b", "a, b", " frexp "},
    {"float", "float a, int* b", "a, b", " frexpf "},
    {"double", "double a, double* b", "a, b", " modf "},
    {"float", "float a, float* b", "a, b", " modff "},
    {"double", "double a, double b, int* c", "a, b, c", " remquo "},
    {"float", "float a, float b, int* c", "a, b, c", " remquof "},
    {"void", "double a, double* b, double* c", "a, b, c", " sincos "},
    {"void", "float a, float* b, float* c", "a, b, c", " sincosf "},
    {"int", "double a", "a", " ilogb "},
    {"int", "float a", "a", " ilogbf "},
    {"long", "double a", "a", " lrint lround "},
    {"long", "float a", "a", " lrintf lroundf "},
    {"long long", "double a", "a", " llrint llround "},
    {"long long", "float a", "a", " llrintf llroundf "},
    {"void*", "unsigned long a", "a", " malloc "},
    {"void*", "void* a, const void* b, unsigned long c", "a, b, c", " memcpy "},
    {"void*", "void* a, int b, unsigned long c", "a, b, c", " memset "},
};

// Functions that constant expressions may call. Those without a run-time value exist only for
// constant expressions: nvcc has them for hosts, and folds their calls in device code.
struct ConstantFunction {
  std::string_view head;      // "int popcount(unsigned a)"
  std::string_view constant;  // statements
  std::string_view run_time;

  [[nodiscard]] std::string_view name() const {
    const std::string_view before = head.substr(0, head.find('('));
    return before.substr(before.rfind(' ') + 1);
  }
};
constexpr std::string_view kOnes = "int n = 0; for (; a != 0; a &= a - 1) ++n; return n;";
constexpr std::string_view kOdd = "int n = 0; for (; a != 0; a &= a - 1) n ^= 1; return n;";
constexpr std::string_view kZerosAbove =
    "int n = 8 * sizeof(a); for (; a != 0; a >>= 1) --n; return n;";
constexpr std::string_view kZerosBelow =
    "int n = 0; for (; a != 0 && (a >> n & 1) == 0; ++n) {} return n;";
constexpr std::string_view kFirst =
    "int n = 0; for (; a != 0 && (a >> n & 1) == 0; ++n) {} return a == 0 ? 0 : n + 1;";
constexpr std::string_view kSwapped =
    "auto b = a; b = 0; for (int n = 0; n < int(sizeof(a)); ++n) b = b << 8 | (a >> 8 * n & 255); "
    "return b;";
constexpr std::string_view kMagnitude = "return a < 0 ? -a : a;";
constexpr ConstantFunction kConstant[] = {
    {"int popcount(unsigned a)", kOnes, "__popc(a)"},
    {"int popcountl(unsigned long a)", kOnes, ""},
    {"int popcountll(unsigned long long a)", kOnes, "__popcll(a)"},
    {"int clz(unsigned a)", kZerosAbove, "__clz(a)"},
    {"int clzl(unsigned long a)", kZerosAbove, ""},
    {"int clzll(unsigned long long a)", kZerosAbove, "__clzll(a)"},
    {"int ffs(int a)", kFirst, "__ffs(a)"},
    {"int ffsl(long a)", kFirst, ""},
    {"int ffsll(long long a)", kFirst, "__ffsll(a)"},
    {"int ctz(unsigned a)", kZerosBelow, ""},
    {"int ctzl(unsigned long a)", kZerosBelow, ""},
    {"int ctzll(unsigned long long a)", kZerosBelow, ""},
    {"int parity(unsigned a)", kOdd, ""},
    {"int parityl(unsigned long a)", kOdd, ""},
    {"int parityll(unsigned long long a)", kOdd, ""},
    {"unsigned short bswap16(unsigned short a)", kSwapped, ""},
    {"unsigned bswap32(unsigned a)", kSwapped, ""},
    {"unsigned long bswap64(unsigned long a)", kSwapped, ""},
    {"int abs(int a)", kMagnitude, "abs(a)"},
    {"long labs(long a)", kMagnitude, "labs(a)"},
    {"long long llabs(long long a)", kMagnitude, "llabs(a)"},
    {"double fabs(double a)", kMagnitude, "fabs(a)"},
    {"float fabsf(float a)", kMagnitude, "fabsf(a)"},
    {"double inf()", "return __builtin_bit_cast(double, 0x7ff0000000000000ULL);",
     "__longlong_as_double(0x7ff0000000000000LL)"},
    {"double huge_val()", "return __builtin_bit_cast(double, 0x7ff0000000000000ULL);",
     "__longlong_as_double(0x7ff0000000000000LL)"},
    {"float inff()", "return __builtin_bit_cast(float, 0x7f800000U);",
     "__int_as_float(0x7f800000)"},
    {"float huge_valf()", "return __builtin_bit_cast(float, 0x7f800000U);",
     "__int_as_float(0x7f800000)"},
    {"double nan(const char* a)", "return __builtin_bit_cast(double, 0x7ff8000000000000ULL);",
     "::nan(a)"},
    {"float nanf(const char* a)", "return __builtin_bit_cast(float, 0x7fffffffU);", "::nanf(a)"},
    {"double nans(const char* a)", "return __builtin_bit_cast(double, 0x7ff4000000000000ULL);",
     "__longlong_as_double(0x7ff4000000000000LL)"},
    {"float nansf(const char* a)", "return __builtin_bit_cast(float, 0x7fa00000U);",
     "__int_as_float(0x7fa00000)"},
    {"double powi(double a, int b)",
     "double c = 1; for (unsigned n = b < 0 ? -b : b; n != 0; n >>= 1, a *= a) if (n & 1) c *= a; "
     "return b < 0 ? 1 / c : c;",
     "::pow(a, b)"},
    {"float powif(float a, int b)",
     "float c = 1; for (unsigned n = b < 0 ? -b : b; n != 0; n >>= 1, a *= a) if (n & 1) c *= a; "
     "return b < 0 ? 1 / c : c;",
     "::powf(a, b)"},
};

// Names that are not functions of these kinds, with their definitions.
constexpr std::pair<std::string_view, std::string_view> kOther[] = {
    {"printf", "#define __builtin_printf printf\n"},
    {"offsetof", "#define __builtin_offsetof(T, m) ((unsigned long)__INTADDR__(&((T*)0)->m))\n"},
    {"launder",
     "template <class T> constexpr __device__ T* __builtin_launder(T* a) { return a; }\n"},
    {"signbit",
     "template <class T> __device__ int __builtin_signbit(T a) { return signbit(a); }\n"},
};

const PredefinedMacro* find_macro(std::string_view name) {
  const auto* const found = std::lower_bound(
      std::begin(kMacros), std::end(kMacros), name,
      [](const PredefinedMacro& macro, std::string_view sought) { return macro.plain() < sought; });
  return found != std::end(kMacros) && found->plain() == name ? found : nullptr;
}

// The text that defines the built-in function; empty for any other name.
std::string function_text(std::string_view name) {
  name.remove_prefix(kBuiltIn.size());
  const std::string word = fmt::format(" {} ", name);
  for (const SameFunctions& same : kSame) {
    if (same.names.find(word) != std::string_view::npos) {
      return fmt::format("inline __device__ {0} {1}{2}({3}) {{ return ::{2}({4}); }}\n",
                         same.result, kBuiltIn, name, same.parameters, same.arguments);
    }
  }
  for (const ConstantFunction& one : kConstant) {
    if (one.name() == name) {
      std::string head(one.head);
      head.insert(head.find(' ' + std::string(name) + '(') + 1, kBuiltIn);
      return one.run_time.empty()
                 ? fmt::format("consteval __device__ {} {{ {} }}\n", head, one.constant)
                 : fmt::format(
                       "constexpr __device__ {} {{ if (__builtin_is_constant_evaluated()) "
                       "{{ {} }} return {}; }}\n",
                       head, one.constant, one.run_time);
    }
  }
  for (const auto& [other, text] : kOther) {
    if (other == name) {
      return std::string(text);
    }
  }
  return "";
}

// With the macros that their values name.
void add_macro(const PredefinedMacro& macro, Names& names) {
  if (!names.emplace(macro.plain()).second) {
    return;
  }
  const problem::CudaWords value = problem::scan_cuda(macro.value);
  for (const problem::CudaWord& word : value.code) {
    if (const PredefinedMacro* const named = find_macro(word.text)) {
      add_macro(*named, names);
    }
  }
}

std::string host_compiler_header(const Names& names) {
  Names macros;
  std::string functions;
  for (const std::string& name : names) {
    if (const PredefinedMacro* const macro = find_macro(name)) {
      add_macro(*macro, macros);
    } else {
      functions += function_text(name);
    }
  }
  std::string text = "#pragma once\n";
  for (const std::string& name : macros) {
    const PredefinedMacro& macro = *find_macro(name);
    text += fmt::format("#ifndef {}\n#define {} {}\n#endif\n", name, macro.name, macro.value);
  }
  return text + functions;
}

// For all texts together, because the host parts of a program are also in its headers.
void keep_device_parts(Request& request) {
  std::vector<std::string> sources{request.source};
  Names given;
  for (const auto& [name, text] : request.headers) {
    sources.push_back(text);
    given.emplace(name);
  }
  std::vector<DevicePart> parts = device_parts(sources, request.name_expression, given);
  DevicePart whole = std::move(parts.front());
  request.source = std::move(whole.text);
  auto part = parts.begin();
  for (auto& [name, text] : request.headers) {
    ++part;
    whole.needs_prelude = whole.needs_prelude || part->needs_prelude;
    whole.default_device = whole.default_device || part->default_device;
    whole.of_host_compiler.merge(part->of_host_compiler);
    text = std::move(part->text);
  }
  std::vector<std::string> names;
  const auto add_wanted = [&names](const std::string& text) {
    std::ranges::copy_if(problem::quoted_includes(text), std::back_inserter(names),
                         [&text](const std::string& name) { return !asks_for(text, name); });
  };
  add_wanted(request.source);
  for (const auto& [name, text] : request.headers) {
    add_wanted(text);
  }
  for (const std::string& name : names) {
    // If device code needs a header that is missing, the compiler reports the names from it.
    if (!is_device_header(name) && request.headers.try_emplace(name, missing_header(name)).second) {
      whole.needs_prelude = true;
    }
  }
  if (whole.default_device) {
    request.options.emplace_back("-default-device");
  }
  const bool has_library =
      includes_library(request.source) || std::ranges::any_of(request.headers, [](const auto& h) {
        return includes_library(h.second);
      });
  if (has_library) {  // it refuses NVRTC if that identifies itself as the host's compiler
    whole.of_host_compiler.erase("__GNUC__");
    whole.of_host_compiler.erase("__GNUG__");
  }
  if (!whole.of_host_compiler.empty()) {
    request.headers[kHostCompilerName] = host_compiler_header(whole.of_host_compiler);
    request.options.push_back(std::string("-include=") + kHostCompilerName);
  }
  if (whole.needs_prelude) {
    request.headers[kPreludeName] = prelude();
    request.options.push_back(std::string("-include=") + kPreludeName);
  }
}

}  // namespace

Request make_request(const problem::Launch& launch, Build build) {
  Request request;
  request.source_name = launch.source_name;
  request.source = launch.source;
  request.headers = launch.headers;
  request.options = {"-arch=compute_" + launch.architecture, "-std=c++20",
                     build == Build::Step ? "-G" : "-lineinfo"};
  for (const auto& [name, value] : launch.defines) {
    if (problem::has_fixed_constant(request.source, name)) {
      request.source = problem::with_constant(std::move(request.source), name, value);
    } else {
      request.options.push_back("-D" + name + "=" + value);
    }
  }
  request.name_expression = launch.entry;
  for (problem::Included& one : problem::includes_of(launch.source)) {
    const bool is_known = one.is_quoted || request.headers.contains(one.name) ||
                          is_device_header(one.name) || problem::is_library_header(one.name);
    if (!is_known) {
      request.left_out.push_back(std::move(one));
    }
  }
  keep_device_parts(request);
  return request;
}

Request make_cubin_request(const problem::Launch& launch, int architecture) {
  Request request = make_request(launch, Build::Fast);
  // Features of one architecture only ("90a"): ptxas accepts them only for that architecture.
  const bool is_own = launch.architecture == fmt::format("{}a", architecture);
  request.options.front() = fmt::format("-arch=sm_{}{}", architecture, is_own ? "a" : "");
  request.product = Product::Cubin;
  return request;
}

Request make_text_request(const Request& request) {
  Request text = request;
  text.name_expression.clear();
  text.product = Product::Ptx;
  std::erase_if(text.options,
                [](const std::string& option) { return option == "-G" || option == "-lineinfo"; });
  for (std::string& option : text.options) {
    constexpr std::string_view kReal = "-arch=sm_";
    if (option.starts_with(kReal)) {
      option = "-arch=compute_" + option.substr(kReal.size());
    }
  }
  return text;
}

std::string cache_key(const Request& request) {
  Hash hash;
  hash.add("tilestep request 1");  // increase the number when equal requests should be compiled
                                   // again
  hash.add(request.source_name);
  hash.add(request.source);
  hash.add(request.headers.size());
  for (const auto& [name, text] : request.headers) {
    hash.add(name);
    hash.add(text);
  }
  hash.add(request.options.size());
  for (const std::string& option : request.options) {
    hash.add(option);
  }
  hash.add(request.name_expression);
  if (request.product == Product::Cubin) {
    hash.add("cubin");
  }
  return hash.hex();
}

bool is_of_host_compiler(std::string_view name) {
  if (name.starts_with(kBuiltIn)) {
    return !function_text(name).empty();
  }
  const bool may_be = name.starts_with('_') || name == "linux" || name == "unix";  // most are not
  return may_be && find_macro(name) != nullptr;
}

}  // namespace tilestep::compile
