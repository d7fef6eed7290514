#include "problem/propose/proposal.h"

#include "problem/launch/expression.h"
#include "problem/propose/host.h"
#include "problem/source/cuda_names.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tilestep::problem {
namespace {

using Kind = ParameterType::Kind;

constexpr int kBins = 256;
constexpr int kLargestEdge = 1 << 14;  // of an example
constexpr int kMostBlocks = 1024;      // along an axis of an example

constexpr Word kColumns[] = {"n",          "size",        "len",          "length",    "count",
                             "num",        "numelements", "num_elements", "total",     "width",
                             "w",          "cols",        "ncols",        "nx",        "columns",
                             "num_cols",   "ncol",        "n_cols",       "numcols",   "ni",
                             "dim",        "stride",      "pitch",        "elements",  "nelem",
                             "n_elements", "ld",          "lda",          "ldb",       "ldc",
                             "instride",   "inputsize",   "array_size",   "arraysize", "d",
                             "c",          "wa",          "wb",           "hidden",    "features",
                             "dim_x",      "sizex",       "len_a"};
constexpr Word kRows[] = {"m",       "height", "h",      "rows",       "nrows", "ny", "num_rows",
                          "numrows", "nj",     "batch",  "batch_size", "b",     "ha", "outstride",
                          "dim_y",   "sizey",  "numrow", "nrow",       "n_rows"};
constexpr Word kDepths[] = {"k", "depth", "nz", "channels", "hb"};
constexpr Word kBinNames[] = {"hist", "histo", "histogram", "bins", "counts", "d_bins", "bin"};
constexpr Word kOutputs[] = {"out",   "output",  "result", "results",     "res",      "dst",
                             "odata", "dest",    "c",      "p",           "y",        "g_odata",
                             "sum",   "outdata", "b_out",  "partialsums", "blocksums"};
class Proposer {
 public:
  Proposer(LaunchSpec start, const CudaText& text, const KernelInterface& kernel,
           std::string evidence)
      : spec_(std::move(start)), text_(text), interface_(kernel), evidence_(std::move(evidence)) {
    const CudaKernel* const found = find_kernel(text, plain_name(spec_.entry));
    if (found != nullptr) {
      kernel_ = *found;
    }
    has_z_ = has_in_body(text_, kernel_, {"threadIdx", ".", "z"});
    host_ = host_launch(text_, kernel_.name);
  }

  Proposal run();

 private:
  [[nodiscard]] bool is_flat() const;  // blocks have one dimension
  void sizes();
  bool computed_grid();
  void shapes();
  void guess_grid();
  bool known_grid();
  void parameters();
  ArgumentSpec argument(const ParameterType::Member& parameter, const std::string& place);
  ArgumentSpec pointer(const ParameterType::Member& parameter, const std::string& place);
  ArgumentSpec members(const ParameterType::Member& parameter, const std::string& place);
  std::string integer(const std::string& name, const std::string& place);
  BufferRole role_of(const ParameterType::Member& parameter, BufferSpec& buffer);
  void shared_memory();
  void constants();
  void suggest();
  [[nodiscard]] std::vector<std::string> head() const;
  void note(const std::string& place, const std::string& text) { notes_[place] = text; }
  [[nodiscard]] std::string full_name(const std::string& name) const {
    return owner_.empty() ? name : owner_ + "." + name;
  }

  LaunchSpec spec_;
  const CudaText& text_;
  const KernelInterface& interface_;
  std::string evidence_;
  CudaKernel kernel_;
  Notes notes_;
  std::set<std::string> unknown_;  // places of values with unknown meaning
  std::vector<std::string> questions_;
  std::string owner_;  // the struct whose members are being read, if there are several: "left"
  HostLaunch host_;
  std::set<std::string> sizes_;  // M, N, K if parameters mean them
  std::array<int, 3> block_{1, 1, 1};
  bool has_z_ = false;
  int step_ = 0;  // rows per block if they are not its threads
};

bool Proposer::is_flat() const {
  return !has_in_body(text_, kernel_, {"threadIdx", ".", "y"}) &&
         !has_in_body(text_, kernel_, {"blockIdx", ".", "y"}) && block_[1] == 1;
}

void Proposer::sizes() {
  const BlockGuess guess = block_guess(spec_, text_, kernel_, interface_);
  block_ = guess.block;
  step_ = guess.step;
  note("block", guess.why);
  spec_.block = {std::to_string(block_[0]), std::to_string(block_[1]), std::to_string(block_[2])};
}

// Uses the numbers of the file's own launch, and handles kernels that do not use their block.
bool Proposer::known_grid() {
  const bool has_blocks = has_in_body(text_, kernel_, {"blockIdx"});
  if (!host_.grid && has_blocks) {
    return false;
  }
  const std::array<int, 3> grid = has_blocks ? *host_.grid : std::array<int, 3>{1, 1, 1};
  spec_.grid = {std::to_string(grid[0]), std::to_string(grid[1]), std::to_string(grid[2])};
  spec_.default_problem = Problem{grid[1] * block_[1], grid[0] * block_[0], grid[0] * block_[0]};
  if (block_[0] == 1) {
    spec_.default_problem = Problem{kEdge, kEdge, kEdge};
  }
  note("grid",
       has_blocks ? tr("from the launch in this file") : tr("the kernel does not use blockIdx"));
  return true;
}

// Uses what the file's own launch computes from the arguments; unknown axes stay. The example is
// the smallest with two blocks.
bool Proposer::computed_grid() {
  std::array<std::string, 3> grid = spec_.grid;
  bool is_known = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string text = with_arguments(host_.grid_expressions[axis].value_or("{"), spec_);
    const bool is_number = text.find_first_of("MNK") == std::string::npos;
    const Result<std::int64_t> number = is_number ? evaluate_expression(text, {}) : 1;
    if (!expression_mistake(text) && number && *number <= kMostBlocks) {
      grid[axis] = text;
      is_known = is_known || text != "1";
    }
  }
  for (int edge = 16; is_known && edge <= kLargestEdge; edge *= 2) {
    const Problem size{edge, edge, edge};
    std::int64_t blocks = 1;
    for (const std::string& side : grid) {
      const Result<std::int64_t> value = evaluate_expression(side, {size, 1});
      blocks *= value ? std::clamp<std::int64_t>(*value, 0, 1 << 20) : 0;
    }
    const bool is_fixed = blocks == 1 && edge == kLargestEdge;
    if (blocks >= 2 || is_fixed) {
      spec_.grid = std::move(grid);
      spec_.default_problem = size;
      note("grid", tr("from the launch in this file"));
      return true;
    }
  }
  return false;
}

void Proposer::shapes() {
  guess_grid();
  if (!known_grid()) {
    computed_grid();
  }
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (!text_.has_tokens({"blockIdx", ".", std::string(1, "xyz"[axis])})) {
      spec_.grid[axis] = "1";
    }
  }
  const bool is_matrix = !is_flat() || sizes_.contains("M");
  for (BufferSpec& buffer : spec_.buffers) {
    const bool has_columns = buffer.cols == "N" || buffer.cols.starts_with("N * ");
    if (has_columns && is_matrix) {
      buffer.rows = has_z_ ? "M * K" : "M";
    }
  }
}

void Proposer::guess_grid() {
  const bool by_row =
      is_flat() && sizes_.contains("M") && sizes_.contains("N") && block_is_a_row(text_, kernel_);
  const std::string x = fmt::format("ceil_div(N, {})", block_[0]);
  note("grid", by_row ? tr("guess: one block per row") : tr("guess: one thread per element"));
  if (by_row) {
    spec_.grid = {"M", "1", "1"};
  } else if (is_flat() && sizes_.contains("M") && sizes_.contains("N")) {
    spec_.grid = {fmt::format("ceil_div(M * N, {})", block_[0]), "1", "1"};
  } else {
    const int rows = step_ > 0 ? step_ : block_[1];
    spec_.grid = {x, is_flat() ? "1" : fmt::format("ceil_div(M, {})", rows),
                  has_z_ ? fmt::format("ceil_div(K, {})", block_[2]) : "1"};
  }
  const int edge = is_flat() ? 2 * block_[0] : 2 * std::max(block_[0], block_[1]);
  spec_.default_problem =
      is_flat() && !sizes_.contains("M") ? Problem{1, edge, 1} : Problem{edge, edge, edge};
  if (by_row) {
    spec_.default_problem = Problem{4, edge, edge};
  }
  note("default_problem", tr("expressions can use M, N and K; --size sets them"));
}

std::string Proposer::integer(const std::string& name, const std::string& place) {
  const std::string word = bare(name);
  const auto size = [&](const char* which, const char* what) {
    sizes_.insert(which);
    note(place, fmt::format("{}: {}", name, what));
    return std::string(which);
  };
  for (std::size_t axis = 0; axis < block_.size(); ++axis) {
    const char letter = "xyz"[axis];
    if (word == fmt::format("block{}", letter) || word == fmt::format("blockdim{}", letter)) {
      note(place, tr("{}: threads per block", name));
      return std::to_string(block_[axis]);
    }
  }
  if (is_one_of(kWarpNames, plain_size_name(word))) {
    note(place, tr("{}: threads per warp", name));
    return std::to_string(usual_size(word));
  }
  if (is_one_of(kRows, word)) {
    return size("M", tr("number of rows"));
  }
  if (is_one_of(kDepths, word)) {
    return size("K", tr("third matrix size"));
  }
  if (word.find("bin") != std::string::npos) {
    note(place, tr("{}: guess", name));
    return std::to_string(kBins);
  }
  const char last = name.empty() ? ' ' : name.back();  // imageW, imageH
  const bool is_short = name.size() > 2 && name[name.size() - 2] >= 'a';
  if (is_short && last == 'H') {
    return size("M", tr("number of rows"));
  }
  const bool is_size = (is_short && last == 'W') || is_one_of(kColumns, word) ||
                       word.starts_with("num") || word.starts_with("n_") ||
                       word.ends_with("size") || word.ends_with("len") || word.ends_with("width") ||
                       word.ends_with("length");
  if (is_size) {
    return size("N", tr("number of elements or columns"));
  }
  if (word.ends_with("rows") || word.ends_with("height")) {
    return size("M", tr("number of rows"));
  }
  note(place, tr("{}: guess; its meaning is unknown", name));
  unknown_.insert(place);
  return word.find("offset") != std::string::npos || word.find("start") != std::string::npos ? "0"
                                                                                             : "1";
}

BufferRole Proposer::role_of(const ParameterType::Member& parameter, BufferSpec& buffer) {
  const ParameterUse use = use_of(text_, kernel_, parameter.name);
  const bool is_called_output = is_one_of(kOutputs, bare(parameter.name)) ||
                                lower(parameter.name).find("out") != std::string::npos;
  if (parameter.type.points_to_const || (use.is_read && !use.is_written && !use.is_atomic &&
                                         !(use.is_passed_on && is_called_output))) {
    return BufferRole::Input;
  }
  if (use.is_atomic) {
    buffer.input = InputSpec{};
    buffer.input->pattern = Pattern::Constant;
    buffer.input->constant = 0.0F;
    return BufferRole::InOut;
  }
  if ((use.is_written && !use.is_read && !use.is_passed_on) || (is_called_output && !use.is_read)) {
    return BufferRole::Output;
  }
  const bool is_called_input = lower(parameter.name).find("in") != std::string::npos ||
                               bare(parameter.name) == "a" || bare(parameter.name) == "x";
  return !use.is_written && is_called_input ? BufferRole::Input : BufferRole::InOut;
}

ArgumentSpec Proposer::pointer(const ParameterType::Member& parameter, const std::string& place) {
  ArgumentSpec argument;
  const bool has_target = !parameter.type.target.empty();
  if (has_target && parameter.type.target.front().kind == Kind::Pointer) {
    argument.expression = "0";
    note(place, tr("{} {}: null; pointers to pointers are not supported", parameter.type.name,
                   parameter.name));
    return argument;
  }
  BufferSpec buffer;
  const std::string own = owner_.empty() ? parameter.name : owner_ + "_" + parameter.name;
  buffer.name = own.empty() ? fmt::format("buffer{}", spec_.buffers.size() + 1) : own;
  for (int number = 2; is_one_of({"M", "N", "K", "BLOCK_SIZE"}, buffer.name) ||
                       std::any_of(spec_.buffers.begin(), spec_.buffers.end(),
                                   [&](const BufferSpec& b) { return b.name == buffer.name; });
       ++number) {
    buffer.name = fmt::format("{}_{}", own, number);
  }
  const ElementGuess element =
      has_target ? element_guess(parameter.type.target.front()) : ElementGuess{};
  buffer.type = element.type;
  const std::string word = bare(parameter.name);
  const bool is_bins = is_one_of(kBinNames, word) || word.find("hist") != std::string::npos;
  buffer.cols = is_bins                ? std::to_string(kBins)
                : element.per_item > 1 ? fmt::format("N * {}", element.per_item)
                                       : "N";
  buffer.role = role_of(parameter, buffer);
  note(fmt::format("buffer {}", buffer.name),
       element.per_item > 1 ? tr("{} {}: {} elements per item", parameter.type.name, parameter.name,
                                 element.per_item)
                            : fmt::format("{} {}", parameter.type.name, parameter.name));
  argument.kind = ArgumentSpec::Kind::Buffer;
  argument.buffer = buffer.name;
  spec_.buffers.push_back(std::move(buffer));
  return argument;
}

ArgumentSpec Proposer::members(const ParameterType::Member& parameter, const std::string& place) {
  const ParameterType& type = parameter.type;
  const auto structs = std::ranges::count(interface_.parameters, Kind::Structure,
                                          [](const auto& p) { return p.type.kind; });
  const std::string outer =
      std::exchange(owner_, structs > 1 ? full_name(parameter.name) : std::string());
  ArgumentSpec argument;
  argument.kind = ArgumentSpec::Kind::Struct;
  for (const ParameterType::Member& member : type.members) {
    argument.members.push_back({member.name, this->argument(member, place)});
  }
  for (std::uint32_t i = 0; type.kind == Kind::Array && i < type.count; ++i) {
    argument.members.push_back(
        {std::to_string(i), this->argument({std::to_string(i), type.target.front()}, place)});
  }
  note(place, type.name);
  owner_ = outer;
  return argument;
}

ArgumentSpec Proposer::argument(const ParameterType::Member& parameter, const std::string& place) {
  const ParameterType& type = parameter.type;
  const bool is_short_float = type.kind == Kind::Structure && type.bytes == 2;
  if (type.kind == Kind::Pointer) {
    return pointer(parameter, place);
  }
  if ((type.kind == Kind::Structure && !is_short_float) ||
      (type.kind == Kind::Array && !type.target.empty())) {
    return members(parameter, place);
  }
  ArgumentSpec scalar;
  if (type.kind == Kind::Float || is_short_float) {
    const std::string word = lower(parameter.name);
    scalar.expression = word == "beta"                          ? "0.0"
                        : word.find("eps") != std::string::npos ? "1e-5"
                                                                : "1.0";
    note(place, tr("{} {}: guess", type.name, parameter.name));
  } else if (type.kind == Kind::Bool) {
    scalar.expression = "1";
    note(place, tr("bool {}: guess", parameter.name));
  } else {
    scalar.expression = integer(parameter.name, place);
    const bool is_unknown = unknown_.contains(place);
    const auto passed = passed_at(host_, place);
    if (is_unknown && passed) {
      scalar.expression = std::to_string(*passed);
      note(place, tr("{}: from the launch in this file", parameter.name));
    } else if (is_unknown) {
      questions_.push_back(
          tr("What is {}? It is set to {}.", full_name(parameter.name), scalar.expression));
    }
  }
  return scalar;
}

void Proposer::parameters() {
  for (std::size_t i = 0; i < interface_.parameters.size(); ++i) {
    spec_.arguments.push_back(argument(interface_.parameters[i], fmt::format("argument {}", i)));
  }
}

void Proposer::shared_memory() {
  if (interface_.extern_shared.empty()) {
    return;
  }
  const KernelInterface::Variable& array = interface_.extern_shared.front();
  const int bytes = array.element ? static_cast<int>(byte_size(*array.element)) : 4;
  const std::string own = with_arguments(host_.shared_bytes.value_or("{"), spec_);
  if (!expression_mistake(own) && own != "0") {
    spec_.dynamic_shared_bytes = own;
    note("dynamic_shared_bytes", tr("from the launch in this file"));
    return;
  }
  spec_.dynamic_shared_bytes = std::to_string(block_[0] * block_[1] * block_[2] * bytes * 2);
  note("dynamic_shared_bytes", tr("guess for {}: two elements per thread", array.name));
}

void Proposer::constants() {
  for (const KernelInterface::Variable& constant : interface_.constants) {
    BufferSpec variable;
    variable.name = constant.name;
    variable.type = constant.element.value_or(ElementType::U8);
    variable.cols = std::to_string(constant.bytes / byte_size(variable.type));
    note(fmt::format("buffer {}", constant.name),
         tr("__constant__ {}: values copied by the host", constant.type));
    spec_.variables.push_back(std::move(variable));
  }
}

// Adds what the kernel's name suggests as a commented line.
void Proposer::suggest() {
  const std::string name = lower(kernel_.name);
  constexpr std::pair<Word, Word> kPromises[] = {{"transpose", "transpose"},
                                                 {"softmax", "softmax"},
                                                 {"hist", "histogram"},
                                                 {"reduc", "sum"},
                                                 {"sum", "sum"},
                                                 {"scan", "inclusive_scan"},
                                                 {"prefix", "inclusive_scan"},
                                                 {"add", "add"}};
  const auto of_role = [&](bool is_input) {
    std::vector<std::string> names;
    for (const BufferSpec& buffer : spec_.buffers) {
      if ((buffer.role == BufferRole::Input) == is_input) {
        names.push_back(buffer.name);
      }
    }
    return names;
  };
  const std::vector<std::string> inputs = of_role(true);
  const std::vector<std::string> outputs = of_role(false);
  if (outputs.empty()) {
    return;
  }
  std::string example = "file = \"expected.npy\"";
  for (const auto& [word, reference] : kPromises) {
    if (name.find(word) != Word::npos && !inputs.empty()) {
      example = fmt::format("reference = \"{}\", of = \"{}\"", reference, inputs.front());
      break;
    }
  }
  note("reference", tr("\"matmul\"; or add to {}: {}", outputs.front(),
                       fmt::format("expected = {{ {} }}", example)));
}

std::vector<std::string> Proposer::head() const {
  std::vector<std::string> parameters;
  for (const ParameterType::Member& parameter : interface_.parameters) {
    parameters.push_back(fmt::format("{} {}", parameter.type.name, parameter.name));
  }
  std::vector<std::string> lines{
      tr("Launch description of {}, proposed by tilestep describe. Check the lines marked "
         "'guess'.",
         interface_.name),
      tr("{}, lines {} to {}: {}({})", spec_.source_name, interface_.first_line,
         interface_.last_line, interface_.name, fmt::join(parameters, ", "))};
  for (const KernelInterface::Variable& array : interface_.shared) {
    lines.push_back(tr("shared memory: {} {}, {} bytes", array.type, array.name, array.bytes));
  }
  for (const KernelInterface::Variable& array : interface_.extern_shared) {
    lines.push_back(tr("dynamic shared memory: {}", array.name));
  }
  if (interface_.launch_bounds.x > 0) {
    lines.push_back(tr("__launch_bounds__: {} threads", interface_.launch_bounds.count()));
  }
  lines.emplace_back(tr("All keys: docs/formats/launch.md. Run it: tilestep check THIS.toml"));
  return lines;
}

Proposal Proposer::run() {
  if (spec_.buffers.empty()) {
    spec_.reference = "";
    spec_.uses_block_size = false;
    for (auto& [name, value] : spec_.defines) {
      value = std::to_string(usual_size(name));
    }
    if (!spec_.defines.empty()) {
      note("defines", tr("guess: the source does not define these"));
    }
    sizes();
    parameters();
    shapes();
    shared_memory();
    suggest();
  } else if (!evidence_.empty()) {
    const Problem size = *spec_.default_problem;
    note("default_problem", tr("a run at {}×{}×{} gives the matrix product, without findings",
                               size.M, size.N, size.K));
    note("buffers", tr("inferred from runs: {}", evidence_));
    if (!interface_.extern_shared.empty()) {
      note("dynamic_shared_bytes", tr("guess: one tile of A and one of B"));
    }
  } else {
    note("grid", tr("guess: standard matrix product, from the parameter names"));
    note("reference",
         tr("guess: A is M×K, B is K×N. If the kernel's m, n, k mean something else, swap them"));
    if (!spec_.uses_block_size) {
      const int edge = 2 * spec_.default_block_size;
      spec_.default_problem = Problem{edge, edge, edge};
    }
  }
  constants();
  return {spec_, head(), notes_, questions_, evidence_};
}

}  // namespace

Proposal propose_launch(const LaunchSpec& start, const CudaText& text,
                        const KernelInterface& kernel, const std::string& evidence) {
  return Proposer(start, text, kernel, evidence).run();
}

}  // namespace tilestep::problem
