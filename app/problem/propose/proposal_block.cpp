#include "problem/describe/description.h"
#include "problem/propose/host.h"
#include "problem/propose/product.h"
#include "problem/propose/proposal.h"
#include "problem/source/cuda_names.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace tilestep::problem {

namespace {

constexpr int kThreads = 64;  // of a one-dimensional block with unknown size
constexpr Word kBlocks[] = {"threadblocksize",
                            "threadsperblock",
                            "numthreads",
                            "nthreads",
                            "blocksize",
                            "blockdim",
                            "tilewidth",
                            "tilesize",
                            "tiledim",
                            "tile",
                            "bdim",
                            "block",
                            "threads",
                            "tpb",
                            "blockdimx"};

class BlockGuesser {
 public:
  BlockGuesser(const LaunchSpec& start, const CudaText& text, const CudaKernel& kernel,
               const KernelInterface& interface)
      : text_(text),
        kernel_(kernel),
        interface_(interface),
        host_(host_launch(text, kernel.name)),
        numbers_(kernel_numbers(start, text, kernel)) {}

  [[nodiscard]] BlockGuess run() const;

 private:
  [[nodiscard]] std::string name_of(const std::string& plain) const;
  [[nodiscard]] int shared_elements() const;

  const CudaText& text_;
  const CudaKernel& kernel_;
  const KernelInterface& interface_;
  const HostLaunch host_;
  const std::map<std::string, int> numbers_;  // by plain names
};

// The spelling in the text of a plain name.
std::string BlockGuesser::name_of(const std::string& plain) const {
  for (const auto& [name, value] : text_.constants) {
    if (plain_size_name(name) == plain) {
      return name;
    }
  }
  for (const CudaParameter& parameter : kernel_.template_parameters) {
    if (plain_size_name(parameter.name) == plain) {
      return parameter.name;
    }
  }
  return plain;
}

// Threads of a block: from the file's own launch, the launch bounds, or a constant with such a
// name.
BlockGuess BlockGuesser::run() const {
  std::array<int, 3> block{1, 1, 1};
  int step = 0;
  const bool has_z = has_in_body(text_, kernel_, {"threadIdx", ".", "z"});
  const bool has_y = has_in_body(text_, kernel_, {"threadIdx", ".", "y"});
  block = has_z                                        ? std::array<int, 3>{8, 8, 4}
          : has_y                                      ? std::array<int, 3>{kEdge, kEdge, 1}
          : has_in_body(text_, kernel_, {"threadIdx"}) ? std::array<int, 3>{kThreads, 1, 1}
                                                       : std::array<int, 3>{1, 1, 1};
  std::string why = tr("guess: threads per block along x, y, z");
  const auto named = [&](bool in_body) -> const std::pair<const std::string, int>* {
    for (const Word name : kBlocks) {
      for (const auto& number : numbers_) {
        const bool is_called =
            number.first == name || (name.size() > 8 && number.first.ends_with(name));
        if (is_called && number.second > 0 && number.second <= (has_y ? kLargestBlockSize : 1024) &&
            (!in_body || has_in_body(text_, kernel_, {name_of(number.first)}))) {
          return &number;
        }
      }
    }
    return nullptr;
  };
  const auto* const own = named(true);
  if (const auto* const size = own != nullptr ? own : named(false)) {
    block = {size->second, has_y ? size->second : 1, 1};
    why = tr("from {}", name_of(size->first));
  }
  const auto rows = text_.constants.find("BLOCK_ROWS");
  if (has_y && rows != text_.constants.end() && rows->second < block[1]) {
    step = block[1];  // rows of the grid, independent of the threads
    block[1] = rows->second;
  }
  if (const int elements = shared_elements(); !has_y && elements > 0) {
    block = {elements, 1, 1};
    why = tr("one thread per element of {}", interface_.shared.front().name);
  }
  if (interface_.launch_bounds.x > 0) {
    const Dim3 bounds = interface_.launch_bounds;
    block = {static_cast<int>(bounds.x), static_cast<int>(bounds.y), static_cast<int>(bounds.z)};
    why = tr("the maximum of __launch_bounds__");
  }
  if (host_.block) {
    block = *host_.block;
    why = tr("from the launch in this file");
  }
  if (static_cast<std::int64_t>(block[0]) * block[1] * block[2] > 1024) {
    block = {kThreads, 1, 1};
  }
  return {block, step, why};
}

// The size of the first shared array, if it has one dimension and a thread per element is likely.
int BlockGuesser::shared_elements() const {
  if (interface_.shared.empty()) {
    return 0;
  }
  const KernelInterface::Variable& array = interface_.shared.front();
  const bool has_one_dimension = std::count(array.type.begin(), array.type.end(), '[') == 1;
  const std::uint64_t bytes = array.element ? byte_size(*array.element) : 4;
  const std::uint64_t elements = array.bytes / bytes;
  return has_one_dimension && elements >= 32 && elements <= 1024 && elements % 32 == 0
             ? static_cast<int>(elements)
             : 0;
}

using Kind = ParameterType::Kind;

// A leaf of homogeneous structures and arrays: the element of float4 and float[4].
const ParameterType* common_leaf(const ParameterType& type) {
  const bool is_short_float = type.kind == Kind::Structure && type.bytes == 2;
  if (is_short_float || (type.kind != Kind::Structure && type.kind != Kind::Array)) {
    return &type;
  }
  if (type.kind == Kind::Array) {
    return type.target.empty() ? nullptr : common_leaf(type.target.front());
  }
  const ParameterType* leaf = nullptr;
  for (const ParameterType::Member& member : type.members) {
    const ParameterType* const one = common_leaf(member.type);
    const bool differs =
        leaf != nullptr && one != nullptr && (one->kind != leaf->kind || one->bytes != leaf->bytes);
    if (one == nullptr || differs) {
      return nullptr;
    }
    leaf = one;
  }
  return leaf;
}

std::optional<ElementType> scalar_element(const ParameterType& type) {
  if (type.kind == Kind::Structure && type.bytes == 2) {
    return type.name.ends_with("bfloat16") ? ElementType::BF16 : ElementType::F16;
  }
  if (type.kind == Kind::Float) {
    return type.bytes == 8 ? ElementType::F64 : ElementType::F32;
  }
  if (type.kind == Kind::Bool) {
    return ElementType::U8;
  }
  if (type.kind != Kind::Integer) {
    return std::nullopt;
  }
  switch (type.bytes) {
    case 1:
      return type.is_signed ? ElementType::S8 : ElementType::U8;
    case 2:
      return type.is_signed ? ElementType::S16 : ElementType::U16;
    case 4:
      return type.is_signed ? ElementType::S32 : ElementType::U32;
    default:
      return type.is_signed ? ElementType::S64 : ElementType::U64;
  }
}

std::string list_of(const std::vector<CudaKernel>& kernels) {
  std::vector<std::string> names;
  for (const CudaKernel& kernel : kernels) {
    names.push_back(kernel.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Tile sizes with the names and values that ladders of matrix products use; smaller ones if warps
// have tiles of their own.
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

// Whether `name` is a type in device code: built in, or a class, enum or alias of the file itself.
// A template parameter of a host function is not.
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

// The first enumerator of an enumeration in the text, with its scope; empty if `type` is not one.
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

// The value of a parameter that is a number: the host launch's value, its default, or a usual
// value.
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

// Types become float, truth values true, sizes a usual value; the value in the file's own launch
// has priority, then a default.
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

// Macros that the text uses as sizes but does not define.
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

BlockGuess block_guess(const LaunchSpec& start, const CudaText& text, const CudaKernel& kernel,
                       const KernelInterface& interface) {
  return BlockGuesser(start, text, kernel, interface).run();
}

ElementGuess element_guess(const ParameterType& type) {
  const ParameterType* const leaf = common_leaf(type);
  const std::optional<ElementType> element = leaf == nullptr ? std::nullopt : scalar_element(*leaf);
  if (!element) {
    return {ElementType::U8, std::max(1U, type.bytes)};
  }
  return {*element, std::max(1U, type.bytes / static_cast<std::uint32_t>(byte_size(*element)))};
}

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

std::string proposal_text(const Proposal& proposal) {
  std::vector<std::string> head = proposal.head;
  for (const std::string& question : proposal.questions) {
    head.push_back(tr("Question: {}", question));
  }
  return description_text(proposal.spec, head, proposal.notes);
}

}  // namespace tilestep::problem
