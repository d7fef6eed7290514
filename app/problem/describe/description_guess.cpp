#include "problem/describe/description.h"
#include "problem/source/cuda_names.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace tilestep::problem {
namespace {

constexpr std::string_view kBlockSizeNames[] = {
    "BLOCK_SIZE", "BLOCKSIZE", "BLOCK_DIM", "BLOCK_WIDTH", "TILE_WIDTH", "TILE_SIZE", "TILE_DIM",
    "TILESIZE",   "TILE",      "BS",        "TS",          "block_size", "tile_size", "tile_width"};

constexpr std::pair<Word, ElementType> kCudaTypes[] = {
    {"float", ElementType::F32},       {"double", ElementType::F64}, {"half", ElementType::F16},
    {"__half", ElementType::F16},      {"int", ElementType::S32},    {"unsigned", ElementType::U32},
    {"unsigned int", ElementType::U32}};
constexpr Word kIntegerTypes[] = {"int",       "unsigned", "unsigned int",  "long",
                                  "long long", "size_t",   "unsigned long", "uint",
                                  "int32_t",   "uint32_t", "int64_t"};
// The problem size that a parameter's name means.
constexpr std::pair<Word, Word> kSizes[] = {
    {"m", "M"},        {"n", "N"},           {"k", "K"},           {"ha", "M"},
    {"wa", "K"},       {"hb", "K"},          {"wb", "N"},          {"hc", "M"},
    {"wc", "N"},       {"numarows", "M"},    {"numacols", "K"},    {"numacolumns", "K"},
    {"numbrows", "K"}, {"numbcols", "N"},    {"numbcolumns", "N"}, {"numcrows", "M"},
    {"numccols", "N"}, {"numccolumns", "N"}, {"rowsa", "M"},       {"colsa", "K"},
    {"rowsb", "K"},    {"colsb", "N"},       {"arows", "M"},       {"acols", "K"},
    {"brows", "K"},    {"bcols", "N"}};
// Kirk and Hwu name the matrices M, N and P.
constexpr std::pair<Word, Word> kMatrixRoles[] = {{"a", "A"}, {"b", "B"}, {"c", "C"},
                                                  {"m", "A"}, {"n", "B"}, {"p", "C"}};
constexpr std::array<Word, 3> kMatrices{"A", "B", "C"};
// Members of a Matrix struct, for A, B and C.
constexpr std::pair<Word, std::array<Word, 3>> kMembers[] = {
    {"height", {"M", "K", "M"}}, {"rows", {"M", "K", "M"}},   {"width", {"K", "N", "N"}},
    {"cols", {"K", "N", "N"}},   {"stride", {"K", "N", "N"}}, {"pitch", {"K", "N", "N"}}};

template <class Value, std::size_t count>
std::optional<Value> look_up(const std::pair<Word, Value> (&table)[count], Word word) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const auto& entry) { return entry.first == word; });
  return found == std::end(table) ? std::nullopt : std::optional(found->second);
}

bool is_integer_parameter(const CudaParameter& parameter) {
  return !parameter.is_pointer && std::find(std::begin(kIntegerTypes), std::end(kIntegerTypes),
                                            parameter.type) != std::end(kIntegerTypes);
}

bool is_type(const CudaParameter& template_parameter) {
  return template_parameter.type == "typename" || template_parameter.type == "class";
}

class Guess {
 public:
  Guess(CudaText text, std::string kernel) : text_(std::move(text)), kernel_(std::move(kernel)) {}

  Result<LaunchSpec> run();

 private:
  void note(std::string cause) {
    if (cause_.empty()) {
      cause_ = std::move(cause);
    }
  }

  void block_size(const CudaKernel& kernel);
  void fixed_block_size(const std::string& name);
  [[nodiscard]] std::vector<std::string> edges_by_use(const CudaKernel& kernel) const;
  void template_arguments(const CudaKernel& kernel);
  void pointers(const CudaKernel& kernel);
  void arguments(const CudaKernel& kernel);
  void structs(const CudaKernel& kernel);
  void add_buffers(ElementType type, bool accumulates);
  ArgumentSpec scalar(const CudaParameter& parameter, bool only_size);

  CudaText text_;
  std::string kernel_;  // empty: the only kernel
  std::string cause_;
  LaunchSpec spec_;
  std::string edge_ = "BLOCK_SIZE";               // of a block, as an expression
  std::map<std::string, std::string> buffer_of_;  // parameter → "A", "B", "C"
};

Result<LaunchSpec> Guess::run() {
  const auto kernel_of_name =
      std::find_if(text_.kernels.begin(), text_.kernels.end(),
                   [&](const CudaKernel& candidate) { return candidate.name == kernel_; });
  if (kernel_of_name == text_.kernels.end() && text_.kernels.size() != 1) {
    return fail(text_.kernels.empty() ? tr("it has no __global__ function")
                                      : tr("it has {} __global__ functions", text_.kernels.size()));
  }
  const CudaKernel& kernel =
      kernel_of_name == text_.kernels.end() ? text_.kernels.front() : *kernel_of_name;
  spec_.entry = kernel.name;
  spec_.title = kernel.name;
  template_arguments(kernel);
  block_size(kernel);
  if (std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                  [](const CudaParameter& p) { return p.is_pointer; })) {
    pointers(kernel);
    arguments(kernel);
  } else {
    structs(kernel);
  }
  if (!text_.has_tokens({"threadIdx", ".", "y"})) {
    note(tr("it does not use threadIdx.y, so its blocks are not BLOCK_SIZE×BLOCK_SIZE"));
  }
  if (text_.has_tokens({"extern", "__shared__"})) {
    note(tr("only the launch sets the size of its extern __shared__ array"));
  }
  if (!cause_.empty()) {
    return fail(cause_);
  }
  spec_.grid = {fmt::format("ceil_div(N, {})", edge_), fmt::format("ceil_div(M, {})", edge_), "1"};
  spec_.block = {edge_, edge_, "1"};
  return spec_;
}

void Guess::template_arguments(const CudaKernel& kernel) {
  std::string list;
  int sizes = 0;
  for (const CudaParameter& parameter : kernel.template_parameters) {
    list += list.empty() ? "" : ", ";
    list += is_type(parameter) ? "float" : "BLOCK_SIZE";
    sizes += is_type(parameter) ? 0 : 1;
  }
  if (sizes > 1) {
    note(tr("it has more than one size as a template parameter"));
  }
  if (!list.empty()) {
    spec_.entry += fmt::format("<{}>", list);
  }
}

void Guess::block_size(const CudaKernel& kernel) {
  const bool by_template =
      std::any_of(kernel.template_parameters.begin(), kernel.template_parameters.end(),
                  [](const CudaParameter& p) { return !is_type(p); });
  if (by_template) {
    return;
  }
  std::vector<std::string> names;
  for (const std::string_view name : kBlockSizeNames) {
    const std::string word(name);
    const bool has_number = text_.constants.contains(word);
    if (text_.has_tokens({word}) && (has_number || !text_.declares(word))) {
      names.push_back(word);
    }
  }
  if (names.empty()) {
    names = edges_by_use(kernel);
  }
  if (names.size() > 1) {
    note(tr("'{}' and '{}' both look like its block size", names[0], names[1]));
  }
  if (names.size() == 1) {
    fixed_block_size(names.front());
  }
}

// Constants of any name that multiply block indices and size arrays: `blockIdx.y * T` and `[T]`.
std::vector<std::string> Guess::edges_by_use(const CudaKernel& kernel) const {
  std::vector<std::string> names;
  for (const auto& [name, number] : text_.constants) {
    const bool is_size = has_in_body(text_, kernel, {"[", name, "]"});
    const bool is_step = std::ranges::any_of(std::array{"x", "y"}, [&](const char* axis) {
      return has_in_body(text_, kernel, {"blockIdx", ".", axis, "*", name}) ||
             has_in_body(text_, kernel, {name, "*", "blockIdx", ".", axis});
    });
    if (is_size && is_step) {
      names.push_back(name);
    }
  }
  return names;
}

// A name without a value gets one by -D; a constant of the text is replaced (cuda_scanner.h); a
// constant computed from others stays.
void Guess::fixed_block_size(const std::string& name) {
  const auto constant = text_.constants.find(name);
  const auto is_in = [&name](const std::vector<std::string>& names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (constant == text_.constants.end() || is_in(text_.overridable) || is_in(text_.fixed)) {
    spec_.defines[name] = "BLOCK_SIZE";
    if (constant != text_.constants.end()) {
      spec_.default_block_size = constant->second;
    }
    return;
  }
  edge_ = std::to_string(constant->second);
  spec_.uses_block_size = false;
  spec_.default_block_size = constant->second;
}

void Guess::pointers(const CudaKernel& kernel) {
  std::vector<const CudaParameter*> found;
  for (const CudaParameter& parameter : kernel.parameters) {
    if (parameter.is_pointer) {
      found.push_back(&parameter);
    }
  }
  if (found.size() != 3) {
    note(tr("it has {} pointers, not A, B and C", found.size()));
    return;
  }
  std::set<std::string> roles;
  for (const CudaParameter* const parameter : found) {
    buffer_of_[parameter->name] = look_up(kMatrixRoles, bare(parameter->name)).value_or("");
    roles.insert(buffer_of_[parameter->name]);
  }
  const bool by_name = roles == std::set<std::string>{"A", "B", "C"};
  std::stable_sort(found.begin(), found.end(),
                   [](const auto* a, const auto* b) { return a->is_const && !b->is_const; });
  if (!by_name && found[1]->is_const && !found[2]->is_const) {
    buffer_of_ = {{found[0]->name, "A"}, {found[1]->name, "B"}, {found[2]->name, "C"}};
  } else if (!by_name) {
    note(tr("its pointers are not named A, B and C"));
    return;
  }
  const bool is_template_type =
      std::any_of(kernel.template_parameters.begin(), kernel.template_parameters.end(),
                  [&](const CudaParameter& p) { return p.name == found[0]->type; });
  const std::optional<ElementType> type =
      is_template_type ? ElementType::F32 : look_up(kCudaTypes, found[0]->type);
  if (!type || found[1]->type != found[0]->type || found[2]->type != found[0]->type) {
    note(tr("its pointers point to '{}', '{}' and '{}'", found[0]->type, found[1]->type,
            found[2]->type));
    return;
  }
  add_buffers(*type, std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                 [](const CudaParameter& p) { return lower(p.name) == "beta"; }));
}

void Guess::add_buffers(ElementType type, bool accumulates) {
  const auto add = [&](const char* name, const char* rows, const char* cols, BufferRole role) {
    spec_.buffers.push_back({name, type, rows, cols, "", role, std::nullopt, std::nullopt});
  };
  add("A", "M", "K", BufferRole::Input);
  add("B", "K", "N", BufferRole::Input);
  add("C", "M", "N", accumulates ? BufferRole::InOut : BufferRole::Output);
}

void Guess::arguments(const CudaKernel& kernel) {
  const auto sizes =
      std::count_if(kernel.parameters.begin(), kernel.parameters.end(), is_integer_parameter);
  for (const CudaParameter& parameter : kernel.parameters) {
    if (parameter.is_pointer) {
      ArgumentSpec buffer;
      buffer.kind = ArgumentSpec::Kind::Buffer;
      buffer.buffer = buffer_of_[parameter.name];
      spec_.arguments.push_back(std::move(buffer));
    } else {
      spec_.arguments.push_back(scalar(parameter, sizes == 1));
    }
  }
  if (sizes == 1) {
    spec_.requirements.push_back(
        {"M == N && N == K",
         fmt::format("{} multiplies square matrices only; choose M = N = K.", kernel.name)});
  }
}

ArgumentSpec Guess::scalar(const CudaParameter& parameter, bool only_size) {
  ArgumentSpec argument;
  const std::string name = lower(parameter.name);
  if (is_integer_parameter(parameter)) {
    argument.expression = only_size ? "N" : look_up(kSizes, name).value_or("");
  } else if (parameter.type == "float" || parameter.type == "double") {
    argument.expression = name == "alpha" ? "1.0" : name == "beta" ? "0.0" : "";
  }
  if (argument.expression.empty()) {
    note(tr("the meaning of its parameter '{}' is unknown", parameter.name));
  }
  return argument;
}

// MatMulKernel(Matrix A, Matrix B, Matrix C) of the CUDA C++ Programming Guide.
void Guess::structs(const CudaKernel& kernel) {
  const auto& parameters = kernel.parameters;
  const auto found =
      parameters.size() == 3 ? text_.structs.find(parameters[0].type) : text_.structs.end();
  if (found == text_.structs.end()) {
    note(tr("its parameters are neither three pointers nor three Matrix structs"));
    return;
  }
  for (std::size_t i = 0; i < kMatrices.size(); ++i) {
    ArgumentSpec matrix;
    matrix.kind = ArgumentSpec::Kind::Struct;
    for (const CudaParameter& member : found->second) {
      ArgumentSpec value;
      const auto sizes = look_up(kMembers, lower(member.name));
      if (member.is_pointer) {
        value.kind = ArgumentSpec::Kind::Buffer;
        value.buffer = kMatrices[i];
      } else if (sizes) {
        value.expression = (*sizes)[i];
      } else {
        note(tr("the meaning of '{}' in its struct is unknown", member.name));
      }
      matrix.members.push_back({member.name, std::move(value)});
    }
    spec_.arguments.push_back(std::move(matrix));
    if (bare(parameters[i].name) != lower(std::string(kMatrices[i]))) {
      note(tr("its Matrix parameters are not named A, B and C"));
    }
  }
  const auto elements = std::find_if(found->second.begin(), found->second.end(),
                                     [](const CudaParameter& m) { return m.is_pointer; });
  const std::optional<ElementType> type =
      elements == found->second.end() ? std::nullopt : look_up(kCudaTypes, elements->type);
  if (!type) {
    note(tr("its struct has no pointer to elements"));
    return;
  }
  add_buffers(*type, false);
}

}  // namespace

Result<LaunchSpec> guess_launch(const std::string& source) {
  return Guess(read_cuda_text(source), "").run();
}

Result<LaunchSpec> guess_launch(const CudaText& text, const std::string& kernel) {
  return Guess(text, kernel).run();
}

}  // namespace tilestep::problem
