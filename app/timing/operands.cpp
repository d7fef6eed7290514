#include "timing/operands.h"

#include "problem/launch/expected.h"
#include "problem/values/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace tilestep::timing {
namespace {

constexpr std::byte kPoison{0xff};  // four of them are a NaN

bool same_shape(const problem::Buffer& a, const problem::Buffer& b) {
  return a.name == b.name && a.type == b.type && a.rows == b.rows && a.cols == b.cols &&
         a.pitch == b.pitch && a.role == b.role;
}

// Whether both begin with the same values and are compared with the same ones.
bool same_input(const problem::BufferSpec& a, const problem::BufferSpec& b) {
  const auto expected = [](const problem::BufferSpec& of) {
    return of.expected ? std::pair(of.expected->reference, of.expected->of)
                       : std::pair<std::string, std::vector<std::string>>();
  };
  return a.input == b.input && expected(a) == expected(b);
}

// Up to this size the host computes the reference itself: 2^27 multiply-adds, 512×512×512.
constexpr std::uint64_t kSmallProduct = std::uint64_t{1} << 27;

// As an integer modulo 2^64; empty for NaN, infinity and fractions.
std::optional<std::uint64_t> as_integer(float value) {
  constexpr float kTooLarge = 9.0e18F;
  if (!(std::fabs(value) < kTooLarge) || std::trunc(value) != value) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

// fmt writes the poison as "-nan"; its sign has no meaning.
std::string value_text(float value) {
  return std::isnan(value) ? "NaN" : fmt::format("{}", value);
}

struct IntegerProduct {
  std::vector<std::uint64_t> values;
  std::optional<int> not_an_integer;  // first row with another number
};

IntegerProduct times(const problem::Matrix& matrix, const std::vector<std::uint64_t>& x) {
  IntegerProduct product;
  product.values.resize(static_cast<std::size_t>(matrix.rows));
  const float* element = matrix.values.data();
  for (int row = 0; row < matrix.rows; ++row) {
    std::uint64_t sum = 0;
    for (const std::uint64_t factor : x) {
      const std::optional<std::uint64_t> value = as_integer(*element++);
      if (!value && !product.not_an_integer) {
        product.not_an_integer = row;
      }
      sum += value.value_or(0) * factor;
    }
    product.values[static_cast<std::size_t>(row)] = sum;
  }
  return product;
}

}  // namespace

Operands::Operands(const problem::LaunchSpec& spec, const problem::Launch& launch)
    : specs_(spec.buffers),
      shapes_(launch.buffers),
      problem_(launch.parameters.problem),
      reference_(launch.reference),
      verifier_(launch) {
  for (problem::Buffer& shape : shapes_) {
    shape.contents = {};
  }
}

Result<Operands> Operands::make(gpu::Device& device, const problem::LaunchSpec& spec,
                                const problem::Parameters& parameters,
                                const problem::InputSpec& input) {
  const Result<problem::Launch> launch = problem::evaluate(spec, parameters, input);
  if (!launch) {
    return tl::unexpected(launch.error());
  }
  Operands operands(spec, *launch);
  for (const problem::Buffer& buffer : launch->buffers) {
    gpu::Buffer memory = device.make_buffer(buffer.contents.size());
    memory.write(buffer.contents);
    operands.addresses_.push_back(memory.address());
    operands.buffers_.push_back(std::move(memory));
  }
  return operands;
}

bool Operands::fit(const problem::LaunchSpec& spec, const problem::Launch& shape) const {
  return problem_ == shape.parameters.problem && reference_ == shape.reference &&
         !changes_its_inputs() &&
         std::equal(shapes_.begin(), shapes_.end(), shape.buffers.begin(), shape.buffers.end(),
                    same_shape) &&
         std::equal(specs_.begin(), specs_.end(), spec.buffers.begin(), spec.buffers.end(),
                    same_input);
}

std::size_t Operands::place_of(const std::string& buffer) const {
  const auto it = std::ranges::find_if(
      shapes_, [&](const problem::Buffer& shape) { return shape.name == buffer; });
  assert(it != shapes_.end());
  return static_cast<std::size_t>(it - shapes_.begin());
}

std::uint64_t Operands::address(const std::string& buffer) const {
  return addresses_[place_of(buffer)];
}

void Operands::write(const std::string& buffer, std::span<const std::byte> contents) {
  buffers_[place_of(buffer)].write(contents);
}

std::vector<float> Operands::read_result() const {
  const std::size_t place = place_of("C");
  return problem::to_matrix(shapes_[place], buffers_[place].read()).values;
}

void Operands::poison_outputs() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (shapes_[i].role == problem::BufferRole::Output) {
      buffers_[i].fill(kPoison);
    }
  }
}

bool Operands::changes_its_inputs() const {
  return std::ranges::any_of(shapes_, [](const problem::Buffer& shape) {
    return shape.role == problem::BufferRole::InOut;
  });
}

std::string Operands::check_result() {
  if (!verifier_.possible()) {
    return {};
  }
  const gpu::Buffer& compared = buffers_[place_of(verifier_.buffer())];
  result_.resize(compared.bytes());
  compared.read(result_);
  return verifier_.check(result_);
}

std::optional<int> freivalds(const problem::Matrix& A, const problem::Matrix& B,
                             const problem::Matrix& C, std::uint64_t seed) {
  std::vector<std::uint64_t> x(static_cast<std::size_t>(C.cols));
  for (std::uint64_t& value : x) {
    value = problem::next_random(seed);
  }
  const IntegerProduct left = times(C, x);
  const IntegerProduct right = times(A, times(B, x).values);
  if (left.not_an_integer) {
    return left.not_an_integer;
  }
  for (std::size_t row = 0; row < left.values.size(); ++row) {
    if (left.values[row] != right.values[row]) {
      return static_cast<int>(row);
    }
  }
  return std::nullopt;
}

Verifier::Verifier(const problem::Launch& launch) {
  const problem::Buffer* A = problem::find_buffer(launch, "A");
  const problem::Buffer* B = problem::find_buffer(launch, "B");
  const problem::Buffer* C = problem::find_buffer(launch, "C");
  if (launch.reference.empty()) {
    const std::vector<problem::ExpectedOutput> expected = problem::expected_outputs(launch);
    if (!expected.empty()) {
      shape_ = launch.buffers[expected.front().buffer];
      shape_.contents.clear();
      tolerance_ = expected.front().tolerance;
      reference_ = problem::to_float32(expected.front().values);
      return;
    }
  }
  if (launch.reference != "matmul" || A == nullptr || B == nullptr || C == nullptr) {
    why_not_ = "not verified: the description names no reference";
    return;
  }
  shape_ = *C;
  shape_.contents.clear();
  tolerance_ = problem::default_tolerance(launch);
  const problem::Problem& p = launch.parameters.problem;
  if (std::uint64_t{1} * p.M * p.N * p.K <= kSmallProduct) {
    if (const auto product = problem::expected_result(launch, problem::Reference::Double)) {
      reference_ = problem::to_float32(*product);
    }
  } else if (tolerance_ == 0.0) {
    A_ = problem::to_matrix(*A, A->contents);
    B_ = problem::to_matrix(*B, B->contents);
  } else {
    why_not_ = "not verified: too large for the host's reference, and the inputs are not integers";
  }
}

std::string Verifier::check(std::span<const std::byte> C) {
  // Most results equal those of the previous launch, to the last bit.
  if (!C.empty() && C.size() == right_.size() &&
      std::memcmp(C.data(), right_.data(), C.size()) == 0) {
    return {};
  }
  std::string wrong = look_closely(C);
  if (wrong.empty()) {
    right_.assign(C.begin(), C.end());
  }
  return wrong;
}

std::string Verifier::look_closely(std::span<const std::byte> C) {
  const problem::Matrix got = problem::to_matrix(shape_, C);
  if (reference_) {
    return compare_with_reference(got);
  }
  constexpr std::uint64_t kSeed = 1;
  if (const std::optional<int> row = freivalds(A_, B_, got, kSeed)) {
    return fmt::format("row {} of C is not that of A·B", *row);
  }
  reference_ = got;
  A_ = {};
  B_ = {};
  return {};
}

std::string Verifier::compare_with_reference(const problem::Matrix& C) const {
  const std::size_t bytes = C.values.size() * sizeof(float);
  if (bytes > 0 && C.values.size() == reference_->values.size() &&
      std::memcmp(C.values.data(), reference_->values.data(), bytes) == 0) {
    return {};
  }
  const problem::Comparison comparison = problem::compare(C, *reference_, tolerance_);
  if (comparison.wrong == 0) {
    return {};
  }
  return fmt::format("{}[{}][{}] is {}, expected {} ({} of {} elements wrong)", shape_.name,
                     comparison.first_wrong_row, comparison.first_wrong_col,
                     value_text(static_cast<float>(comparison.got)),
                     value_text(static_cast<float>(comparison.expected)), comparison.wrong,
                     comparison.compared);
}

}  // namespace tilestep::timing
