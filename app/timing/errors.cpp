#include "timing/errors.h"

#include "loading/arguments.h"
#include "loading/loader.h"
#include "problem/tr.h"
#include "timing/dataset_points.h"
#include "timing/operands.h"
#include "timing/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilestep::timing {
namespace {

constexpr int kCheckedRows = 4;  // of cublasDgemm's product
constexpr int kHostRows = 64;    // if the host is alone
// Rounding error of sums of K products in float64 in any order: K·2^-53 of the terms' magnitudes.
constexpr double kUnit = 0x1p-53;

constexpr std::array<SpecialValue, 5> kSpecials{{
    {Message("infinity"), std::numeric_limits<float>::infinity()},
    {Message("NaN"), std::numeric_limits<float>::quiet_NaN()},
    {Message("subnormal"), 1e-40F},
    {Message("1e-36"), 1.2345678e-36F},
    {Message("largest float"), std::numeric_limits<float>::max()},
}};

std::vector<int> some_rows(int rows, int most) {
  std::vector<int> chosen;
  const int count = std::min(rows, most);
  for (int i = 0; i < count; ++i) {
    chosen.push_back(count == 1 ? 0 : static_cast<int>(std::int64_t{i} * (rows - 1) / (count - 1)));
  }
  return chosen;
}

// A row of A·B in float64, and the sums of the absolute values of its terms.
struct HostRow {
  std::vector<double> sums;
  std::vector<double> sizes;
};

HostRow host_row(const problem::Matrix& A, const problem::Matrix& B, int row) {
  const auto cols = static_cast<std::size_t>(B.cols);
  HostRow result{std::vector<double>(cols), std::vector<double>(cols)};
  for (int k = 0; k < A.cols; ++k) {
    const double a = A.at(row, k);
    const float* const b = &B.values[static_cast<std::size_t>(k) * cols];
    for (std::size_t col = 0; col < cols; ++col) {
      const double term = a * b[col];
      result.sums[col] += term;
      result.sizes[col] += std::fabs(term);
    }
  }
  return result;
}

gpu::Buffer upload(gpu::Device& device, const problem::Matrix& matrix) {
  const std::vector<double> wide(matrix.values.begin(), matrix.values.end());
  const auto bytes = std::as_bytes(std::span(wide));
  gpu::Buffer buffer = device.make_buffer(bytes.size());
  buffer.write(bytes);
  return buffer;
}

std::vector<double> product_on_gpu(gpu::Device& device, const problem::Matrix& A,
                                   const problem::Matrix& B) {
  const gpu::Buffer a = upload(device, A);
  const gpu::Buffer b = upload(device, B);
  std::vector<double> C(static_cast<std::size_t>(A.rows) * static_cast<std::size_t>(B.cols));
  const gpu::Buffer c = device.make_buffer(C.size() * sizeof(double));
  device.dgemm({{A.rows, B.cols, A.cols}, a.address(), b.address(), c.address()});
  c.read(std::as_writable_bytes(std::span(C)));
  return C;
}

class Errors {
 public:
  Errors(gpu::Device& device, compile::Compiler& compiler, const ErrorPlan& plan,
         const std::atomic<bool>* cancel)
      : device_(device), compiler_(compiler), plan_(plan), cancel_(cancel) {}

  Result<ErrorReport> run();

 private:
  // The result of a series: C, or a sentence.
  struct Product {
    std::vector<float> C;
    std::string note;
  };
  using Change = std::span<const float>;  // of A; empty: the unchanged input

  Result<ErrorTable> table(const problem::InputSpec& input);
  Result<void> make_reference(const problem::Matrix& A, const problem::Matrix& B,
                              ErrorReference& reference);
  SpecialRow special(const problem::LaunchSpec& spec);
  Product product(const problem::LaunchSpec& spec, const problem::Parameters& parameters,
                  const problem::InputSpec& input, Change A);
  Product launch(const problem::LaunchSpec& spec, const problem::Parameters& parameters,
                 const problem::InputSpec& input, Change A);
  [[nodiscard]] std::vector<const problem::LaunchSpec*> series();
  [[nodiscard]] bool cancelled() const { return cancel_ != nullptr && cancel_->load(); }

  gpu::Device& device_;
  compile::Compiler& compiler_;
  const ErrorPlan& plan_;
  const std::atomic<bool>* cancel_;
  PlanSpecs specs_;
  std::vector<double> expected_;  // of the rows that are compared
  std::string compiler_name_;
};

std::vector<const problem::LaunchSpec*> Errors::series() {
  std::vector<const problem::LaunchSpec*> all = plan_.kernels;
  for (const std::string& id : plan_.cublas) {
    all.push_back(&specs_.cublas(id));
  }
  return all;
}

Errors::Product Errors::launch(const problem::LaunchSpec& spec,
                               const problem::Parameters& parameters,
                               const problem::InputSpec& input, Change A) {
  const auto shape = problem::evaluate_shape(spec, parameters);
  if (!shape) {
    return {{}, shape.error().message};
  }
  if (!shape->not_on_gpu.empty()) {
    return {{}, shape->not_on_gpu.front()};
  }
  auto operands = Operands::make(device_, spec, parameters, input);
  if (!operands) {
    return {{}, operands.error().message};
  }
  if (!A.empty()) {
    operands->write("A", std::as_bytes(A));
  }
  operands->poison_outputs();
  if (const CublasSeries* const cublas = find_cublas(spec.id)) {
    device_.sgemm({parameters.problem, operands->address("A"), operands->address("B"),
                   operands->address("C"), cublas->math});
    return {operands->read_result(), {}};
  }
  const auto kernel = loading::load_kernel(compiler_, *shape, compile::Build::Fast);
  if (!kernel) {
    return {{}, kernel.error().error.message};
  }
  compiler_name_ = kernel->output.compiler;
  const auto code = device_.load(kernel->output.ptx, kernel->output.entry);
  if (!code) {
    return {{}, code.error().message};
  }
  const auto arguments =
      loading::pack_arguments(*kernel, *shape, operands->addresses(), device_.tensor_map_maker());
  if (!arguments) {
    return {{}, arguments.error().message};
  }
  device_.launch(*code, {shape->grid, shape->block, shape->dynamic_shared_bytes}, *arguments);
  return {operands->read_result(), {}};
}

Errors::Product Errors::product(const problem::LaunchSpec& spec,
                                const problem::Parameters& parameters,
                                const problem::InputSpec& input, Change A) {
  try {
    return launch(spec, parameters, input, A);
  } catch (const gpu::GpuError& error) {
    if (error.context_lost()) {
      throw;
    }
    return {{}, error.what()};
  }
}

Result<void> Errors::make_reference(const problem::Matrix& A, const problem::Matrix& B,
                                    ErrorReference& reference) {
  reference.is_of_gpu = device_.has_cublas();
  reference.host_rows = some_rows(A.rows, reference.is_of_gpu ? kCheckedRows : kHostRows);
  expected_.clear();
  if (reference.is_of_gpu) {
    expected_ = product_on_gpu(device_, A, B);
  }
  for (const int row : reference.host_rows) {
    const HostRow host = host_row(A, B, row);
    if (!reference.is_of_gpu) {
      expected_.insert(expected_.end(), host.sums.begin(), host.sums.end());
      continue;
    }
    for (std::size_t col = 0; col < host.sums.size(); ++col) {
      const double got = expected_[static_cast<std::size_t>(row) * host.sums.size() + col];
      const double slip = std::fabs(got - host.sums[col]) / std::max(host.sizes[col], 1e-300);
      if (!(slip <= 2.0 * A.cols * kUnit)) {
        return fail(
            tr("C[{}][{}] of cublasDgemm is {:g}, but the host's float64 sum is {:g}. cublasDgemm "
               "cannot serve as a reference.",
               row, col, got, host.sums[col]));
      }
      reference.largest_slip = std::max(reference.largest_slip, slip);
    }
  }
  return {};
}

Result<ErrorTable> Errors::table(const problem::InputSpec& input) {
  const auto [M, N, K] = plan_.parameters.problem;
  const auto A = problem::make_input(input, M, K, 0).map(problem::to_float32);
  const auto B = problem::make_input(input, K, N, 1).map(problem::to_float32);
  if (!A || !B) {
    return tl::unexpected(!A ? A.error() : B.error());
  }
  ErrorTable table{input, {}, {}};
  if (const Result<void> made = make_reference(*A, *B, table.reference); !made) {
    return tl::unexpected(made.error());
  }
  for (const problem::LaunchSpec* const spec : series()) {
    if (cancelled()) {
      break;
    }
    Product product = this->product(*spec, plan_.parameters, input, {});
    ErrorRow row{spec->id, product.note, {}};
    if (product.note.empty()) {
      std::vector<float> compared;
      for (const int host_row : table.reference.host_rows) {
        const auto first = product.C.begin() + std::ptrdiff_t{host_row} * N;
        compared.insert(compared.end(), first, first + N);
      }
      row.figures = error_figures(table.reference.is_of_gpu ? product.C : compared, expected_);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

SpecialRow Errors::special(const problem::LaunchSpec& spec) {
  problem::InputSpec ones = problem::input_of(problem::Pattern::Constant);
  const problem::Parameters parameters{kSpecialProblem, plan_.parameters.block_size};
  std::vector<float> A(static_cast<std::size_t>(kSpecialProblem.M) *
                       static_cast<std::size_t>(kSpecialProblem.K));
  SpecialRow row{spec.id, {}, {}};
  for (const SpecialValue& special : kSpecials) {
    A[0] = special.value;
    const Product got = product(spec, parameters, ones, A);
    if (!got.note.empty()) {
      return {spec.id, got.note, {}};
    }
    row.got.push_back({got.C[0], got.C[static_cast<std::size_t>(kSpecialProblem.N)]});
  }
  return row;
}

Result<ErrorReport> Errors::run() {
  ErrorReport report;
  for (const problem::InputSpec& input : plan_.inputs) {
    auto one = table(input);
    if (!one) {
      return tl::unexpected(one.error());
    }
    report.tables.push_back(std::move(*one));
  }
  for (const problem::LaunchSpec* const spec : series()) {
    if (!cancelled()) {
      report.specials.push_back(special(*spec));
    }
  }
  report.compiler = compiler_name_;
  return report;
}

}  // namespace

ErrorFigures error_figures(std::span<const float> C, std::span<const double> reference) {
  ErrorFigures figures;
  double errors = 0.0;
  double squares = 0.0;
  double whole = 0.0;
  figures.elements = C.size();
  for (std::size_t i = 0; i < C.size(); ++i) {
    if (!std::isfinite(C[i]) && std::isfinite(reference[i])) {
      ++figures.not_finite;
      continue;
    }
    const double d = std::fabs(C[i] - reference[i]);
    figures.max_abs = std::max(figures.max_abs, d);
    errors += d;
    squares += d * d;
    whole += reference[i] * reference[i];
  }
  const auto count = static_cast<double>(C.size() - figures.not_finite);
  if (count > 0.0) {
    figures.mean_abs = errors / count;
  }
  if (whole > 0.0) {
    figures.frobenius = std::sqrt(squares / whole);
    figures.max_over_rms = figures.max_abs / std::sqrt(whole / count);
  }
  return figures;
}

std::span<const SpecialValue> special_values() {
  return kSpecials;
}

Result<ErrorReport> measure_errors(gpu::Device& device, compile::Compiler& compiler,
                                   const ErrorPlan& plan, const std::atomic<bool>* cancel) {
  return Errors(device, compiler, plan, cancel).run();
}

}  // namespace tilestep::timing
