#include "problem/launch/launch.h"

#include "problem/launch/expected.h"
#include "problem/launch/expression.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/matrix_file.h"
#include "problem/words.h"

#include <algorithm>
#include <limits>

namespace tilestep::problem {
namespace {

// CUDA C++ Programming Guide, "Compute Capabilities": the same from 5.0 to 12.x.
constexpr std::int64_t kMaxThreads = 1024;
constexpr std::array<std::int64_t, 3> kMaxBlock{1024, 1024, 64};
constexpr std::array<std::int64_t, 3> kMaxGrid{2147483647, 65535, 65535};
constexpr std::int64_t kMaxSharedBytes = 227 * 1024;  // 9.0 and 10.0, the largest of all

constexpr Message kSetsVariables =
    "The description sets variables of the kernel's source. Tilestep cannot do this on a GPU yet, "
    "only in check, trace and the window.";

constexpr std::uint64_t kLargestBuffer = 1ULL << 40;  // more than any device has
constexpr std::array<const char*, 3> kAxis{"x", "y", "z"};

// Whether an expression uses M, N, K or BLOCK_SIZE.
bool uses_names(const std::string& expression) {
  return expression.find_first_of("MNKB") != std::string::npos;
}

// Evaluates a description part by part and keeps the first error; results after an error are
// meaningless.
class Evaluator {
 public:
  Evaluator(const LaunchSpec& spec, const Parameters& parameters)
      : spec_(spec), parameters_(parameters) {}

  Result<Launch> run(const InputSpec* input, BufferContents contents);

 private:
  void note(std::string message) {
    if (!error_) {
      error_ = Error{fmt::format("{}: {}", spec_.id.empty() ? spec_.source_name : spec_.id,
                                 std::move(message))};
    }
  }

  std::int64_t number(const std::string& place, const std::string& expression) {
    const Result<std::int64_t> value = evaluate_expression(expression, parameters_);
    if (!value) {
      note(fmt::format("{} = {}", place, value.error().message));
    }
    return value.value_or(1);
  }

  std::int64_t number_in(const std::string& place, const std::string& expression,
                         std::int64_t lowest, std::int64_t highest);

  void check_parameters();
  std::vector<std::string> check_requirements();
  Dim3 dimensions(const char* name, const std::array<std::string, 3>& expressions,
                  const std::array<std::int64_t, 3>& limits);
  void check_block(const Dim3& block);
  std::map<std::string, std::string> defines();
  Buffer shape(const BufferSpec& spec, bool is_variable = false);
  Argument argument(const ArgumentSpec& spec, const std::string& place);
  std::size_t buffer_named(const std::string& name, const std::string& place);
  TensorMap tensor_map(const ArgumentSpec& spec, std::size_t buffer, const std::string& place);
  void fill(std::vector<Buffer>& buffers, const InputSpec& input);
  void fill_variables(Launch& launch, const InputSpec& input);
  // `owner`: "buffer A" or "variable table", for messages.
  void fill_input(Buffer& buffer, const BufferSpec& spec, const InputSpec& input, int salt,
                  const std::string& owner);
  void fill_from_file(Buffer& buffer, const InputSpec& input, const std::string& owner);

  const LaunchSpec& spec_;
  const Parameters& parameters_;
  std::optional<Error> error_;
};

std::int64_t Evaluator::number_in(const std::string& place, const std::string& expression,
                                  std::int64_t lowest, std::int64_t highest) {
  const std::int64_t value = number(place, expression);
  if (value < lowest || value > highest) {
    note(uses_names(expression)
             ? tr("{} = \"{}\" is {}, but must be between {} and {}. Change M, N, K or BLOCK_SIZE.",
                  place, expression, value, lowest, highest)
             : tr("{} = \"{}\" is {}, but must be between {} and {}. Change it in the description.",
                  place, expression, value, lowest, highest));
    return lowest;
  }
  return value;
}

void Evaluator::check_parameters() {
  const auto [problem, block_size] = parameters_;
  const std::array<std::pair<const char*, int>, 4> values{
      {{"M", problem.M}, {"N", problem.N}, {"K", problem.K}, {"BLOCK_SIZE", block_size}}};
  for (const auto& [name, value] : values) {
    if (value < 1) {
      note(tr("{} is {}, but a size must be at least 1.", name, value));
    }
  }
}

// Returns the reasons for which only a GPU must refuse the launch.
std::vector<std::string> Evaluator::check_requirements() {
  std::vector<std::string> not_on_gpu;
  for (const Requirement& requirement : spec_.requirements) {
    if (number("requirements", requirement.expression) != 0) {
      continue;
    }
    if (requirement.gpu_only) {
      not_on_gpu.push_back(requirement.sentence);
    } else {
      note(tr(requirement.sentence.c_str()));
    }
  }
  return not_on_gpu;
}

Dim3 Evaluator::dimensions(const char* name, const std::array<std::string, 3>& expressions,
                           const std::array<std::int64_t, 3>& limits) {
  std::array<std::uint32_t, 3> sizes{};
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    sizes[axis] = static_cast<std::uint32_t>(
        number_in(fmt::format("{}.{}", name, kAxis[axis]), expressions[axis], 1, limits[axis]));
  }
  return {sizes[0], sizes[1], sizes[2]};
}

void Evaluator::check_block(const Dim3& block) {
  if (block.count() > static_cast<std::uint64_t>(kMaxThreads)) {
    const bool is_of_block_size =
        std::any_of(spec_.block.begin(), spec_.block.end(),
                    [](const std::string& text) { return mentions(text, "BLOCK_SIZE"); });
    note(is_of_block_size ? tr("a block of {}×{}×{} has {} threads, but a GPU allows at most {}. "
                               "Choose a smaller BLOCK_SIZE.",
                               block.x, block.y, block.z, block.count(), kMaxThreads)
                          : tr("a block of {}×{}×{} has {} threads, but a GPU allows at most {}. "
                               "Choose a smaller block in the description.",
                               block.x, block.y, block.z, block.count(), kMaxThreads));
  }
}

std::map<std::string, std::string> Evaluator::defines() {
  std::map<std::string, std::string> values;
  for (const auto& [name, expression] : spec_.defines) {
    values[name] = float_literal(expression)
                       ? expression
                       : std::to_string(number(fmt::format("defines.{}", name), expression));
  }
  return values;
}

Buffer Evaluator::shape(const BufferSpec& spec, bool is_variable) {
  constexpr std::int64_t kLargestSide = std::numeric_limits<int>::max();
  const auto place = [&](const char* key) {
    return is_variable ? tr("variable {}, {}", spec.name, key)
                       : tr("buffer {}, {}", spec.name, key);
  };
  Buffer buffer;
  buffer.name = spec.name;
  buffer.type = spec.type;
  buffer.role = spec.role;
  buffer.rows = static_cast<int>(number_in(place("rows"), spec.rows, 1, kLargestSide));
  buffer.cols = static_cast<int>(number_in(place("cols"), spec.cols, 1, kLargestSide));
  buffer.pitch =
      spec.pitch.empty()
          ? buffer.cols
          : static_cast<int>(number_in(place("pitch"), spec.pitch, buffer.cols, kLargestSide));
  const std::uint64_t elements =
      static_cast<std::uint64_t>(buffer.rows) * static_cast<std::uint64_t>(buffer.pitch);
  if (elements > kLargestBuffer / byte_size(buffer.type)) {
    note(
        tr("buffer {} of {}×{} elements is larger than {} GiB, more than any GPU has. "
           "Choose a smaller size.",
           spec.name, buffer.rows, buffer.pitch, kLargestBuffer >> 30));
  }
  return buffer;
}

std::size_t Evaluator::buffer_named(const std::string& name, const std::string& place) {
  std::size_t number = 0;
  while (number < spec_.buffers.size() && spec_.buffers[number].name != name) {
    ++number;
  }
  if (number == spec_.buffers.size()) {
    note(tr("{} is buffer '{}', which is not described. Add it to buffers.", place, name));
  }
  return number;
}

TensorMap Evaluator::tensor_map(const ArgumentSpec& spec, std::size_t buffer,
                                const std::string& place) {
  TensorMap map;
  map.box_rows = static_cast<std::uint32_t>(number(tr("{}, box", place), spec.box_rows));
  map.box_cols = static_cast<std::uint32_t>(number(tr("{}, box", place), spec.box_cols));
  map.swizzle = static_cast<std::uint32_t>(spec.swizzle);
  if (buffer < spec_.buffers.size()) {
    const Buffer whole = shape(spec_.buffers[buffer]);
    map.type = whole.type;
    map.rows = static_cast<std::uint32_t>(whole.rows);
    map.cols = static_cast<std::uint32_t>(whole.cols);
    map.row_bytes = static_cast<std::uint64_t>(whole.pitch) * byte_size(whole.type);
  }
  if (const std::string mistake = mistake_in(map); !mistake.empty()) {
    note(tr("{}, the tensor map of {}: {}", place, spec.buffer, mistake));
  }
  return map;
}

Argument Evaluator::argument(const ArgumentSpec& spec, const std::string& place) {
  Argument value;
  value.kind = spec.kind;
  switch (spec.kind) {
    case ArgumentSpec::Kind::Buffer:
      value.buffer = buffer_named(spec.buffer, place);
      break;
    case ArgumentSpec::Kind::TensorMap:
      value.buffer = buffer_named(spec.buffer, place);
      value.map = tensor_map(spec, value.buffer, place);
      break;
    case ArgumentSpec::Kind::Scalar:
      if (const std::optional<double> real = float_literal(spec.expression)) {
        value.is_real = true;
        value.real = *real;
      } else {
        value.integer = number(place, spec.expression);
        value.real = static_cast<double>(value.integer);
      }
      break;
    case ArgumentSpec::Kind::Struct:
      for (const auto& [name, member] : spec.members) {
        value.members.push_back({name, argument(member, fmt::format("{}.{}", place, name))});
      }
      break;
  }
  return value;
}

// `input` == nullptr: shapes only.
Result<Launch> Evaluator::run(const InputSpec* input, BufferContents contents) {
  const bool filled = input != nullptr && contents == BufferContents::Filled;
  check_parameters();
  Launch launch;
  launch.not_on_gpu = check_requirements();
  launch.id = spec_.id;
  launch.parameters = parameters_;
  launch.source_name = spec_.source_name;
  launch.source = spec_.source;
  launch.headers = spec_.headers;
  launch.reference = spec_.reference;
  launch.architecture = spec_.architecture;
  launch.block = dimensions("block", spec_.block, kMaxBlock);
  check_block(launch.block);
  launch.grid = dimensions("grid", spec_.grid, kMaxGrid);
  launch.dynamic_shared_bytes = static_cast<std::uint32_t>(
      number_in("dynamic_shared_bytes", spec_.dynamic_shared_bytes, 0, kMaxSharedBytes));
  launch.defines = defines();
  if (const Result<std::string> entry = evaluate_entry(spec_.entry, parameters_)) {
    launch.entry = *entry;
  } else {
    note(tr("entry, {}", entry.error().message));
  }
  for (const BufferSpec& buffer : spec_.buffers) {
    launch.buffers.push_back(shape(buffer));
  }
  for (const ArgumentSpec& spec : spec_.arguments) {
    launch.arguments.push_back(argument(spec, tr("argument {}", launch.arguments.size() + 1)));
  }
  if (filled && !error_) {
    fill(launch.buffers, *input);
  }
  if (input != nullptr && !error_) {
    fill_variables(launch, *input);
  }
  for (std::size_t i = 0; i < launch.buffers.size() && filled && !error_; ++i) {
    if (spec_.buffers[i].expected) {
      if (const Result<void> made = expect(launch, i, *spec_.buffers[i].expected); !made) {
        note(made.error().message);
      }
    }
  }
  if (error_) {
    return tl::make_unexpected(*error_);
  }
  return launch;
}

void Evaluator::fill(std::vector<Buffer>& buffers, const InputSpec& input) {
  std::uint64_t total = 0;
  for (const Buffer& buffer : buffers) {
    total += byte_count(buffer);
  }
  if (total > kLargestContents) {
    note(tr("the buffers need {} MiB, but the limit is {} MiB. Choose a smaller size.", total >> 20,
            kLargestContents >> 20));
    return;
  }
  int salt = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    // 0xFF… is NaN in every floating-point type and -1 in integers, so unwritten elements and
    // padding are visible.
    buffers[i].contents.assign(byte_count(buffers[i]), std::byte{0xFF});
    if (buffers[i].role != BufferRole::Output) {
      fill_input(buffers[i], spec_.buffers[i], input, salt, tr("buffer {}", buffers[i].name));
      ++salt;
    }
  }
}

void Evaluator::fill_variables(Launch& launch, const InputSpec& input) {
  int salt = static_cast<int>(launch.buffers.size());
  for (const BufferSpec& spec : spec_.variables) {
    Buffer variable = shape(spec, true);
    if (byte_count(variable) > kLargestContents) {
      note(tr("variable {} is larger than {} MiB. Choose a smaller size.", spec.name,
              kLargestContents >> 20));
      return;
    }
    variable.contents.assign(byte_count(variable), std::byte{0});
    fill_input(variable, spec, input, salt++, tr("variable {}", variable.name));
    launch.variables.push_back(std::move(variable));
  }
  if (!launch.variables.empty()) {
    launch.not_on_gpu.emplace_back(kSetsVariables.english);
  }
}

void Evaluator::fill_input(Buffer& buffer, const BufferSpec& spec, const InputSpec& input, int salt,
                           const std::string& owner) {
  const InputSpec chosen = spec.input.value_or(input);
  const std::string shape_from =
      spec.input ? tr("the rows and cols of {}", owner) : tr("M, N and K");
  if (chosen.pattern == Pattern::Npy) {
    return fill_from_file(buffer, chosen, owner);
  }
  // An identity that the description names for a buffer applies to this buffer, not to the first.
  const bool own_identity = spec.input && spec.input->pattern == Pattern::Identity;
  const Result<Numbers> matrix =
      make_input(chosen, buffer.rows, buffer.cols, own_identity ? 0 : salt,
                 value_range(buffer.type), shape_from);
  if (!matrix) {
    note(fmt::format("{}: {}", owner, matrix.error().message));
    return;
  }
  const std::size_t bytes = byte_size(buffer.type);
  for (int row = 0; row < buffer.rows; ++row) {
    std::byte* to = buffer.contents.data() +
                    static_cast<std::size_t>(row) * static_cast<std::size_t>(buffer.pitch) * bytes;
    for (int col = 0; col < buffer.cols; ++col, to += bytes) {
      store_element(buffer.type, matrix->at(row, col), to);
    }
  }
}

void Evaluator::fill_from_file(Buffer& buffer, const InputSpec& input, const std::string& owner) {
  const Result<NpyArray> array = parse_npy(input.csv, input.csv_name);
  const Result<std::vector<std::byte>> elements =
      array ? elements_of(*array, buffer.rows, buffer.cols, buffer.type, input.csv_name)
            : tl::make_unexpected(array.error());
  if (!elements) {
    note(fmt::format("{}: {}", owner, elements.error().message));
    return;
  }
  const std::size_t row_bytes = static_cast<std::size_t>(buffer.cols) * byte_size(buffer.type);
  const std::size_t pitch_bytes = static_cast<std::size_t>(buffer.pitch) * byte_size(buffer.type);
  for (std::size_t row = 0; row < static_cast<std::size_t>(buffer.rows); ++row) {
    std::copy_n(elements->data() + row * row_bytes, row_bytes,
                buffer.contents.data() + row * pitch_bytes);
  }
}

constexpr int kFewestTiles = 2;
constexpr int kFewestElements = 8;

// 64 bits: the last tile may end beyond the largest int.
std::int64_t tiles_over(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

int shrink(std::int64_t size, std::int64_t block_size) {
  const std::int64_t tiles = tiles_over(size, block_size);
  // Rows or columns that the last tile lacks.
  const std::int64_t missing = tiles * block_size - size;
  const std::int64_t kept =
      std::max<std::int64_t>(kFewestTiles, tiles_over(kFewestElements + missing, block_size));
  return static_cast<int>(std::min(tiles, kept) * block_size - missing);
}

}  // namespace

bool is_architecture(const std::string& name) {
  const std::size_t digits = name.find_first_not_of("0123456789");
  const std::size_t count = std::min(digits, name.size());
  return (count == 2 || count == 3) && (count == name.size() || name.substr(count) == "a");
}

std::string element_name(const Buffer& buffer, std::int64_t row, std::int64_t col) {
  return buffer.rows == 1 ? fmt::format("{}[{}]", buffer.name, col)
                          : fmt::format("{}[{}][{}]", buffer.name, row, col);
}

std::uint64_t byte_count(const Buffer& buffer) {
  return static_cast<std::uint64_t>(buffer.rows) * static_cast<std::uint64_t>(buffer.pitch) *
         byte_size(buffer.type);
}

Result<Launch> evaluate(const LaunchSpec& spec, const Parameters& parameters,
                        const InputSpec& input, BufferContents contents) {
  return Evaluator(spec, parameters).run(&input, contents);
}

Result<Launch> evaluate_shape(const LaunchSpec& spec, const Parameters& parameters) {
  return Evaluator(spec, parameters).run(nullptr, BufferContents::Zero);
}

const Buffer* find_buffer(const Launch& launch, const std::string& name) {
  for (const Buffer& buffer : launch.buffers) {
    if (buffer.name == name) {
      return &buffer;
    }
  }
  return nullptr;
}

Problem miniature(const Problem& full, int block_size) {
  const int tile = std::max(block_size, 1);
  return {shrink(full.M, tile), shrink(full.N, tile), shrink(full.K, tile)};
}

}  // namespace tilestep::problem
