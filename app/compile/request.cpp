#include "compile/request.h"

#include "compile/compiler.h"
#include "compile/device_part.h"
#include "compile/diagnostics.h"
#include "compile/hash.h"
#include "compile/host_compiler.h"
#include "problem/source/cuda_text.h"
#include "problem/source/text_constant.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace tilestep::compile {
namespace {

// NVIDIA's own for hosts say nothing: NVRTC knows what they declare for devices.
std::string missing_header(const std::string& name) {
  if (problem::is_host_header(name)) {
    return "";
  }
  return fmt::format("#warning \"{} {} Compiled without it.\"\n", name, kMissingHeader);
}

// Whether a text asks by __has_include if there is such a header: then it does without, too.
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

// Whether a text includes what comes with the toolkit's C++ library.
bool includes_library(const std::string& text) {
  constexpr std::string_view kParts[] = {
      "cooperative_groups", "cuda/", "cub/", "curand_", "thrust/", "cutlass/", "cute/"};
  return std::ranges::any_of(problem::includes_of(text), [&](const problem::Included& one) {
    return std::ranges::any_of(kParts,
                               [&](std::string_view part) { return one.name.starts_with(part); });
  });
}

// Of all texts together, for the host parts of a program are spread over its headers as well.
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
    // What device code needs of a header that is not there, the compiler misses by name.
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
  if (has_library) {  // it refuses NVRTC where that names itself as the host's compiler
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
  // What only one architecture has ("90a"), ptxas takes for that one alone.
  const bool is_own = launch.architecture == fmt::format("{}a", architecture);
  request.options.front() = fmt::format("-arch=sm_{}{}", architecture, is_own ? "a" : "");
  request.product = Product::Cubin;
  return request;
}

std::string cache_key(const Request& request) {
  Hash hash;
  hash.add("tilestep request 1");  // a new number when equal requests should compile anew
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

}  // namespace tilestep::compile
