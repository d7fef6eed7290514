#include "problem/launch/expected.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/element.h"
#include "problem/values/matrix_file.h"
#include "problem/words.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace tilestep::problem {
namespace {

using Inputs = std::vector<Numbers>;

std::size_t rows(const Numbers& numbers) {
  return static_cast<std::size_t>(numbers.rows);
}

std::size_t cols(const Numbers& numbers) {
  return static_cast<std::size_t>(numbers.cols);
}

void matmul(const Inputs& in, Numbers& out) {
  out = multiply(in[0], in[1]);
}

Numbers transposed(const Numbers& in) {
  Numbers out{in.cols, in.rows, std::vector<double>(in.values.size())};
  for (std::size_t row = 0; row < rows(out); ++row) {
    for (std::size_t col = 0; col < cols(out); ++col) {
      out.values[row * cols(out) + col] = in.values[col * cols(in) + row];
    }
  }
  return out;
}

void matmul_nt(const Inputs& in, Numbers& out) {
  out = multiply(in[0], transposed(in[1]));
}

void matmul_tn(const Inputs& in, Numbers& out) {
  out = multiply(transposed(in[0]), in[1]);
}

void matmul_tt(const Inputs& in, Numbers& out) {
  out = multiply(transposed(in[0]), transposed(in[1]));
}

void transpose(const Inputs& in, Numbers& out) {
  out = transposed(in[0]);
}

void add_all(const Inputs& in, Numbers& out) {
  for (const Numbers& values : in) {
    std::transform(out.values.begin(), out.values.end(), values.values.begin(), out.values.begin(),
                   std::plus<>());
  }
}

template <class Fold>
void fold_stretches(const Inputs& in, Numbers& out, Fold fold) {
  const std::size_t count = in[0].values.size();
  const std::size_t length = (count + out.values.size() - 1) / out.values.size();
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const auto first =
        in[0].values.begin() + static_cast<std::ptrdiff_t>(std::min(count, i * length));
    const auto last =
        in[0].values.begin() + static_cast<std::ptrdiff_t>(std::min(count, (i + 1) * length));
    out.values[i] = first == last ? 0.0 : std::accumulate(first + 1, last, *first, fold);
  }
}

void sum(const Inputs& in, Numbers& out) {
  fold_stretches(in, out, std::plus<>());
}

void least(const Inputs& in, Numbers& out) {
  fold_stretches(in, out, [](double a, double b) { return std::min(a, b); });
}

void greatest(const Inputs& in, Numbers& out) {
  fold_stretches(in, out, [](double a, double b) { return std::max(a, b); });
}

void inclusive_scan(const Inputs& in, Numbers& out) {
  for (std::size_t row = 0; row < rows(out); ++row) {
    double total = 0.0;
    for (std::size_t i = row * cols(out); i < (row + 1) * cols(out); ++i) {
      out.values[i] = total += in[0].values[i];
    }
  }
}

void exclusive_scan(const Inputs& in, Numbers& out) {
  for (std::size_t row = 0; row < rows(out); ++row) {
    double total = 0.0;
    for (std::size_t i = row * cols(out); i < (row + 1) * cols(out); ++i) {
      out.values[i] = total;
      total += in[0].values[i];
    }
  }
}

void softmax(const Inputs& in, Numbers& out) {
  for (std::size_t row = 0; row < rows(out); ++row) {
    const auto begin = in[0].values.begin() + static_cast<std::ptrdiff_t>(row * cols(out));
    const auto end = begin + out.cols;
    const double highest = *std::max_element(begin, end);
    double total = 0.0;
    for (auto value = begin; value != end; ++value) {
      total += std::exp(*value - highest);
    }
    std::transform(begin, end, out.values.begin() + static_cast<std::ptrdiff_t>(row * cols(out)),
                   [&](double value) { return std::exp(value - highest) / total; });
  }
}

void histogram(const Inputs& in, Numbers& out) {
  for (const double value : in[0].values) {
    if (value >= 0.0 && value < static_cast<double>(out.values.size())) {
      out.values[static_cast<std::size_t>(value)] += 1.0;
    }
  }
}

// As in neural networks: the filter is not flipped, and it stays inside the input.
void convolution(const Inputs& in, Numbers& out) {
  const auto& [image, filter] = std::tie(in[0], in[1]);
  for (int row = 0; row < out.rows; ++row) {
    for (int i = 0; i < filter.rows; ++i) {
      for (int j = 0; j < filter.cols; ++j) {
        const double weight = filter.at(i, j);
        const auto from = image.values.begin() + std::ptrdiff_t{row + i} * image.cols + j;
        const auto to = out.values.begin() + std::ptrdiff_t{row} * out.cols;
        std::transform(from, from + out.cols, to, to,
                       [weight](double value, double sum) { return sum + value * weight; });
      }
    }
  }
}

void attention(const Inputs& in, Numbers& out) {
  Numbers weights = multiply(in[0], transposed(in[1]));
  for (double& score : weights.values) {
    score /= std::sqrt(in[0].cols);
  }
  softmax({weights}, weights);
  out = multiply(weights, in[2]);
}

struct Function {
  const char* name;
  void (*compute)(const Inputs&, Numbers&);
  std::size_t operands;  // 0: any number
  // Whether the shapes are compatible; nullptr: any shapes are.
  bool (*fits)(const std::vector<const Buffer*>& of, const Buffer& out);
  Message wanted;
  // The operations that it needs; nullptr: not known.
  double (*flops)(const std::vector<const Buffer*>& of, const Buffer& out) = nullptr;
};

bool same_shape(const std::vector<const Buffer*>& of, const Buffer& out) {
  return std::all_of(of.begin(), of.end(),
                     [&](const Buffer* b) { return b->rows == out.rows && b->cols == out.cols; });
}

bool transposed_shape(const std::vector<const Buffer*>& of, const Buffer& out) {
  return of[0]->rows == out.cols && of[0]->cols == out.rows;
}

bool product_shape(const std::vector<const Buffer*>& of, const Buffer& out) {
  return of[0]->cols == of[1]->rows && of[0]->rows == out.rows && of[1]->cols == out.cols;
}

bool nt_shape(const std::vector<const Buffer*>& of, const Buffer& out) {
  return of[0]->cols == of[1]->cols && of[0]->rows == out.rows && of[1]->rows == out.cols;
}

bool tn_shape(const std::vector<const Buffer*>& of, const Buffer& out) {
  return of[0]->rows == of[1]->rows && of[0]->cols == out.rows && of[1]->cols == out.cols;
}

bool tt_shape(const std::vector<const Buffer*>& of, const Buffer& out) {
  return of[0]->rows == of[1]->cols && of[0]->cols == out.rows && of[1]->rows == out.cols;
}

bool convolution_shape(const std::vector<const Buffer*>& of, const Buffer& out) {
  return of[0]->rows == out.rows + of[1]->rows - 1 && of[0]->cols == out.cols + of[1]->cols - 1;
}

bool attention_shape(const std::vector<const Buffer*>& of, const Buffer& out) {
  return of[0]->cols == of[1]->cols && of[1]->rows == of[2]->rows && of[0]->rows == out.rows &&
         of[2]->cols == out.cols;
}

constexpr Function kFunctions[] = {
    {"matmul", matmul, 2, product_shape,
     Message("the rows of the first buffer and the cols of the second")},
    {"matmul_nt", matmul_nt, 2, nt_shape,
     Message("the rows of the first buffer and the rows of the second")},
    {"matmul_tn", matmul_tn, 2, tn_shape,
     Message("the cols of the first buffer and the cols of the second")},
    {"matmul_tt", matmul_tt, 2, tt_shape,
     Message("the cols of the first buffer and the rows of the second")},
    {"transpose", transpose, 1, transposed_shape, Message("rows and cols exchanged")},
    {"add", add_all, 0, same_shape, Message("the same rows and cols")},
    {"sum", sum, 1, nullptr, ""},
    {"min", least, 1, nullptr, ""},
    {"max", greatest, 1, nullptr, ""},
    {"inclusive_scan", inclusive_scan, 1, same_shape, Message("the same rows and cols")},
    {"exclusive_scan", exclusive_scan, 1, same_shape, Message("the same rows and cols")},
    {"softmax", softmax, 1, same_shape, Message("the same rows and cols")},
    {"histogram", histogram, 1, nullptr, ""},
    {"convolution", convolution, 2, convolution_shape,
     Message("one row and one column for each place where the second buffer fits into the first"),
     [](const std::vector<const Buffer*>& of, const Buffer& out) {
       return 2.0 * out.rows * out.cols * of[1]->rows * of[1]->cols;
     }},
    {"attention", attention, 3, attention_shape,
     Message("the rows of the first buffer and the cols of the third; the first two buffers as "
             "wide as each other, and the last two as high"),
     [](const std::vector<const Buffer*>& of, const Buffer& out) {  // two products
       return 2.0 * of[0]->rows * of[1]->rows * (of[0]->cols + out.cols);
     }},
};

const Function* find_function(const std::string& name) {
  const auto found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                  [&](const Function& f) { return f.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

// Integers are exact; floating point may be summed in another order and is rounded once more.
double usual_tolerance(ElementType type) {
  switch (type) {
    case ElementType::F16:
      return 2e-3;
    case ElementType::BF16:
      return 1.6e-2;
    case ElementType::F32:
      return 1e-5;
    case ElementType::F64:
      return 1e-12;
    default:
      return 0.0;
  }
}

Result<std::vector<double>> file_values(const Buffer& buffer, const InputSpec& spec) {
  if (spec.pattern == Pattern::Npy) {
    const Result<NpyArray> array = parse_npy(spec.csv, spec.csv_name);
    TILESTEP_RETURN_IF_ERROR(array);
    const Result<std::vector<std::byte>> elements =
        elements_of(*array, buffer.rows, buffer.cols, ElementType::F64, spec.csv_name);
    TILESTEP_RETURN_IF_ERROR(elements);
    Buffer shape;
    shape.type = ElementType::F64;
    shape.rows = buffer.rows;
    shape.cols = shape.pitch = buffer.cols;
    return to_numbers(shape, *elements).values;
  }
  if (spec.pattern == Pattern::Csv) {
    const std::string name = spec.csv_name.empty() ? tr("the CSV text") : spec.csv_name;
    Result<Numbers> table = parse_csv(spec.csv, name);
    TILESTEP_RETURN_IF_ERROR(table);
    if (table->rows != buffer.rows || table->cols != buffer.cols) {
      return fail(buffer.rows == 1
                      ? tr("{} has {} of {}, but {} of {} is needed. Change the file, or the rows "
                           "and cols of the buffer.",
                           name, plural(table->rows, "row"), plural(table->cols, "value"),
                           plural(buffer.rows, "row"), plural(buffer.cols, "value"))
                      : tr("{} has {} of {}, but {} of {} are needed. Change the file, or the rows "
                           "and cols of the buffer.",
                           name, plural(table->rows, "row"), plural(table->cols, "value"),
                           plural(buffer.rows, "row"), plural(buffer.cols, "value")));
    }
    return std::move(table->values);
  }
  return make_input(spec, buffer.rows, buffer.cols, 0, value_range(buffer.type))
      .map([](Numbers made) { return std::move(made.values); });
}

Result<void> find_operands(const Launch& launch, const Buffer& buffer, const ExpectedSpec& spec,
                           Expected& expected) {
  const Function* const function = find_function(spec.reference);
  if (function == nullptr) {
    return fail(tr("buffer {}: unknown reference '{}'.", buffer.name, spec.reference));
  }
  std::vector<const Buffer*> of;
  for (const std::string& name : spec.of) {
    of.push_back(find_buffer(launch, name));
    if (of.back() == nullptr || of.back()->role == BufferRole::Output) {
      return fail(
          tr("buffer {}: its reference uses '{}', which is not an input of this "
             "description. Name an input.",
             buffer.name, name));
    }
    expected.of.push_back(static_cast<std::size_t>(of.back() - launch.buffers.data()));
  }
  if (of.empty() || (function->operands != 0 && of.size() != function->operands)) {
    return fail(tr("buffer {}: {} needs {}, but `of` names {}.", buffer.name, spec.reference,
                   plural(std::max<std::size_t>(1, function->operands), "buffer"), of.size()));
  }
  if (function->fits != nullptr && !function->fits(of, buffer)) {
    return fail(tr("buffer {} is {}×{}, but {} of {} ({}×{}) needs {}. Change rows and cols.",
                   buffer.name, buffer.rows, buffer.cols, spec.reference, of[0]->name, of[0]->rows,
                   of[0]->cols, function->wanted));
  }
  return {};
}

// The buffer that the launch's own reference computes.
std::optional<std::size_t> product_buffer(const Launch& launch) {
  const auto output =
      std::find_if(launch.buffers.begin(), launch.buffers.end(),
                   [](const Buffer& buffer) { return buffer.role == BufferRole::Output; });
  if (output == launch.buffers.end() || output->expected) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(output - launch.buffers.begin());
}

// Exact sums are the same with any reference; otherwise the rounded float64 sum is the truth.
Reference reference_for(double tolerance) {
  return tolerance == 0.0 ? Reference::Plain : Reference::Double;
}

std::optional<ExpectedOutput> expected_product(const Launch& launch) {
  const std::optional<std::size_t> buffer = product_buffer(launch);
  if (!buffer) {
    return std::nullopt;
  }
  const double tolerance = default_tolerance(launch);
  std::optional<Numbers> product = expected_result(launch, reference_for(tolerance));
  if (!product) {
    return std::nullopt;
  }
  return ExpectedOutput{*buffer, std::move(*product), tolerance};
}

BufferComparison comparison_of(const Buffer& buffer, const Comparison& c, double tolerance) {
  return {buffer.name, buffer.type, c, tolerance,
          c.wrong == 0 ? "" : element_name(buffer, c.first_wrong_row, c.first_wrong_col)};
}

BufferComparison compare_at(const Buffer& buffer, std::span<const std::byte> contents,
                            std::span<const std::size_t> elements,
                            const std::vector<double>& expected, double tolerance) {
  const auto cols = static_cast<std::size_t>(buffer.cols);
  const auto got = [&](std::size_t i) {
    const std::size_t place =
        elements[i] / cols * static_cast<std::size_t>(buffer.pitch) + elements[i] % cols;
    return load_element(buffer.type, contents.data() + place * byte_size(buffer.type));
  };
  Comparison c = compare_numbers(
      elements.size(), 1, got, [&](std::size_t i) { return expected[i]; }, tolerance);
  if (c.wrong > 0) {
    const std::size_t first = elements[static_cast<std::size_t>(c.first_wrong_row)];
    c.first_wrong_row = static_cast<int>(first / cols);
    c.first_wrong_col = static_cast<int>(first % cols);
  }
  return comparison_of(buffer, c, tolerance);
}

}  // namespace

std::vector<std::string> expected_functions() {
  std::vector<std::string> names;
  for (const Function& function : kFunctions) {
    names.emplace_back(function.name);
  }
  return names;
}

Result<void> expect(Launch& launch, std::size_t buffer, const ExpectedSpec& spec) {
  Buffer& of = launch.buffers[buffer];
  Expected expected;
  expected.reference = spec.reference;
  expected.tolerance = spec.tolerance.value_or(usual_tolerance(of.type));
  if (spec.reference.empty()) {
    Result<std::vector<double>> values = file_values(of, spec.values);
    if (!values) {
      return fail(tr("buffer {}, expected: {}", of.name, values.error().message));
    }
    expected.values = std::move(*values);
  } else if (Result<void> found = find_operands(launch, of, spec, expected); !found) {
    return found;
  }
  of.expected = std::move(expected);
  return {};
}

double needed_flops(const LaunchSpec& spec, const Launch& launch) {
  for (std::size_t i = 0; i < spec.buffers.size(); ++i) {
    const std::optional<ExpectedSpec>& expected = spec.buffers[i].expected;
    const Function* const function = expected ? find_function(expected->reference) : nullptr;
    if (function != nullptr && function->flops != nullptr) {
      std::vector<const Buffer*> of;
      for (const std::string& name : expected->of) {
        of.push_back(find_buffer(launch, name));
      }
      return function->flops(of, launch.buffers[i]);
    }
  }
  const auto& [M, N, K] = launch.parameters.problem;
  return 2.0 * M * N * K;
}

std::vector<double> expected_values(const Launch& launch, std::size_t buffer) {
  const Buffer& of = launch.buffers[buffer];
  if (!of.expected || of.expected->reference.empty()) {
    return of.expected ? of.expected->values : std::vector<double>();
  }
  Inputs inputs;
  for (const std::size_t operand : of.expected->of) {
    inputs.push_back(to_numbers(launch.buffers[operand], launch.buffers[operand].contents));
  }
  Numbers out{of.rows, of.cols, {}};
  out.values.resize(rows(out) * cols(out));
  find_function(of.expected->reference)->compute(inputs, out);
  return std::move(out.values);
}

std::string first_wrong(const BufferComparison& output) {
  const Comparison& c = output.comparison;
  const std::string& element = output.first_wrong_element;
  const std::string expected = element_text(output.type, c.expected);
  return output.first_never_stored
             ? tr("{}, not stored by any thread; expected {}", element, expected)
             : tr("{} = {}, expected {}", element, element_text(output.type, c.got), expected);
}

std::vector<ExpectedOutput> expected_outputs(const Launch& launch) {
  std::vector<ExpectedOutput> all;
  if (std::optional<ExpectedOutput> product = expected_product(launch)) {
    all.push_back(std::move(*product));
  }
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const Buffer& buffer = launch.buffers[i];
    if (buffer.expected) {
      all.push_back(
          {i, {buffer.rows, buffer.cols, expected_values(launch, i)}, buffer.expected->tolerance});
    }
  }
  return all;
}

std::vector<BufferComparison> compare_outputs(
    const Launch& launch,
    const std::function<std::span<const std::byte>(std::size_t)>& contents_of) {
  std::vector<BufferComparison> all;
  for (const ExpectedOutput& output : expected_outputs(launch)) {
    const Buffer& buffer = launch.buffers[output.buffer];
    all.push_back(comparison_of(
        buffer,
        compare(to_numbers(buffer, contents_of(output.buffer)), output.values, output.tolerance),
        output.tolerance));
  }
  return all;
}

std::vector<BufferComparison> compare_elements(
    const Launch& launch, const std::function<std::span<const std::byte>(std::size_t)>& contents_of,
    const std::function<std::vector<std::size_t>(std::size_t)>& elements_of) {
  std::vector<BufferComparison> all;
  if (const std::optional<std::size_t> product = product_buffer(launch)) {
    const double tolerance = default_tolerance(launch);
    const std::vector<std::size_t> elements = elements_of(*product);
    if (const auto values = expected_elements(launch, reference_for(tolerance), elements)) {
      all.push_back(compare_at(launch.buffers[*product], contents_of(*product), elements, *values,
                               tolerance));
    }
  }
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    if (!launch.buffers[i].expected) {
      continue;
    }
    const std::vector<double> values = expected_values(launch, i);
    const std::vector<std::size_t> elements = elements_of(i);
    std::vector<double> some;
    for (const std::size_t element : elements) {
      some.push_back(values[element]);
    }
    all.push_back(compare_at(launch.buffers[i], contents_of(i), elements, some,
                             launch.buffers[i].expected->tolerance));
  }
  return all;
}

const BufferComparison* most_telling(const std::vector<BufferComparison>& all) {
  const auto wrong = std::find_if(
      all.begin(), all.end(), [](const BufferComparison& one) { return one.comparison.wrong > 0; });
  return wrong != all.end() ? &*wrong : all.empty() ? nullptr : &all.front();
}

}  // namespace tilestep::problem
