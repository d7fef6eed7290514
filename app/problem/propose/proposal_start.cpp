// start_proposal: which kernel, and what a compile of it needs.
#include "problem/describe/guess.h"
#include "problem/propose/host_launch.h"
#include "problem/propose/parameter_use.h"
#include "problem/propose/proposal.h"
#include "problem/source/cuda_names.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilestep::problem {
namespace {

std::string list_of(const std::vector<CudaKernel>& kernels) {
  std::vector<std::string> names;
  for (const CudaKernel& kernel : kernels) {
    names.push_back(kernel.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Tiles as ladders of matrix products call and choose them; with warps' own tiles, smaller ones.
std::string usual_tile(const CudaKernel& kernel, const std::string& name) {
  constexpr std::pair<Word, Word> kTiles[] = {
      {"BM", "128"}, {"BN", "128"}, {"BK", "8"}, {"TM", "8"}, {"TN", "8"}};
  constexpr std::pair<Word, Word> kFewer[] = {{"BM", "64"}, {"BN", "64"}};
  constexpr std::pair<Word, Word> kWarpTiles[] = {
      {"BM", "64"},    {"BN", "128"}, {"BK", "8"}, {"WM", "32"},          {"WN", "64"},
      {"WNITER", "2"}, {"TM", "4"},   {"TN", "4"}, {"NUM_THREADS", "128"}};
  const auto has = [&](Word wanted) {
    return std::any_of(kernel.template_parameters.begin(), kernel.template_parameters.end(),
                       [&](const CudaParameter& p) { return p.name == wanted; });
  };
  const auto in = [&](const auto& table) {
    const auto* const found = std::find_if(std::begin(table), std::end(table),
                                           [&](const auto& entry) { return entry.first == name; });
    return found == std::end(table) ? std::string() : std::string(found->second);
  };
  const bool is_tiled = has("BM") && has("BN");
  std::string size = has("WM") ? in(kWarpTiles) : is_tiled && !has("TN") ? in(kFewer) : "";
  size = size.empty() && is_tiled ? in(kTiles) : size;
  return size.empty() ? std::to_string(usual_size(name)) : size;
}

// Whether `name` is a type that device code has: built in, or a class, enum or alias of the file
// itself. A template parameter of a host function is none.
bool is_known_type(const CudaText& text, const std::string& name) {
  constexpr Word kBuiltIn[] = {"float", "double", "int", "unsigned int", "half", "__half"};
  if (is_one_of(kBuiltIn, name)) {
    return true;
  }
  for (const char* const word : {"struct", "class", "enum", "using"}) {
    for (const char* const after : {"{", ":", "="}) {
      if (text.has_tokens({word, name, after})) {
        return true;
      }
    }
  }
  return false;
}

// The first enumerator of an enumeration of the text, with its scope; empty: `type` is none.
std::string first_enumerator(const CudaText& text, const std::string& type) {
  for (std::size_t i = 1; i + 1 < text.tokens.size(); ++i) {
    const std::string& before = text.tokens[i - 1];
    const bool is_scoped = before == "class" || before == "struct";
    const bool is_enum = before == "enum" || (is_scoped && i > 1 && text.tokens[i - 2] == "enum");
    if (text.tokens[i] == type && is_enum) {
      const auto open =
          std::find(text.tokens.begin() + static_cast<std::ptrdiff_t>(i), text.tokens.end(), "{");
      return open == text.tokens.end() || open + 1 == text.tokens.end() ? ""
                                                                        : type + "::" + *(open + 1);
    }
  }
  return "";
}

// Of a parameter that is a number: what the host's launch gives, its default, or what is usual.
std::string number_argument(const CudaText& text, const CudaKernel& kernel,
                            const CudaParameter& parameter, const std::string& given) {
  const std::string enumerator = first_enumerator(text, parameter.type);
  for (const std::string& value : {given, parameter.value}) {
    const bool is_number =
        !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    const std::string name = value.substr(value.rfind(':') + 1);
    if (is_number || (!enumerator.empty() && !name.empty() && text.declares(name))) {
      return value;
    }
    if (const auto constant = text.constants.find(value); constant != text.constants.end()) {
      return std::to_string(constant->second);
    }
  }
  return enumerator.empty() ? usual_tile(kernel, parameter.name) : enumerator;
}

// Types become float, truth values true, sizes what is usual: one that the file's own
// launch has goes before, then a default.
std::string template_arguments(const CudaText& text, const CudaKernel& kernel,
                               const HostLaunch& launch) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < kernel.template_parameters.size(); ++i) {
    const CudaParameter& parameter = kernel.template_parameters[i];
    const bool is_type = parameter.type == "typename" || parameter.type == "class";
    const std::string given =
        i < launch.template_arguments.size() ? launch.template_arguments[i] : "";
    if (is_type) {
      arguments.push_back(is_known_type(text, given)             ? given
                          : is_known_type(text, parameter.value) ? parameter.value
                                                                 : "float");
    } else if (parameter.type == "bool") {
      arguments.push_back((given.empty() ? parameter.value : given) == "false" ? "false" : "true");
    } else {
      arguments.push_back(number_argument(text, kernel, parameter, given));
    }
  }
  return arguments.empty() ? "" : fmt::format("<{}>", fmt::join(arguments, ", "));
}

// Macros that the text uses as sizes and nobody defines.
std::map<std::string, std::string> missing_macros(const CudaText& text, const CudaKernel& kernel) {
  std::map<std::string, std::string> found;
  for (const Word name : kBlockNames) {
    const std::string word(name);
    const bool is_upper = std::none_of(word.begin(), word.end(), [](char c) {
      return std::islower(static_cast<unsigned char>(c)) != 0;
    });
    if (is_upper && has_in_body(text, kernel, {word}) && !text.declares(word)) {
      found[word] = std::to_string(kEdge);
    }
  }
  return found;
}

}  // namespace

Result<LaunchSpec> start_proposal(const CudaText& text, const std::string& name) {
  if (text.kernels.empty()) {
    return fail(tr("no __global__ function. Choose a file that has one."));
  }
  const std::string plain = plain_name(name);
  if (name.empty() && text.kernels.size() > 1) {
    return fail(
        tr("{} kernels. Choose one with --entry: {}.", text.kernels.size(), list_of(text.kernels)));
  }
  const CudaKernel* const kernel = name.empty() ? &text.kernels.front() : find_kernel(text, plain);
  if (kernel == nullptr) {
    return fail(tr("no kernel '{}'. The file has {}.", plain, list_of(text.kernels)));
  }
  if (adds_products(text, *kernel)) {
    if (Result<LaunchSpec> textbook = guess_launch(text, kernel->name)) {
      return textbook;
    }
  }
  LaunchSpec spec;
  const bool is_complete = name.find('<') != std::string::npos;
  spec.entry = is_complete ? name : name.empty() ? kernel->name : name;
  if (!is_complete) {
    spec.entry += template_arguments(text, *kernel, host_launch(text, kernel->name));
  }
  spec.defines = missing_macros(text, *kernel);
  return spec;
}

}  // namespace tilestep::problem
