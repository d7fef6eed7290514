#include "timing/operands.h"

#include <algorithm>
#include <cassert>

namespace tilestep::timing {

namespace {

constexpr std::byte kPoison{0xff};  // four of them are a NaN

bool same_shape(const problem::Buffer& a, const problem::Buffer& b) {
  return a.name == b.name && a.type == b.type && a.rows == b.rows && a.cols == b.cols &&
         a.pitch == b.pitch && a.role == b.role;
}

bool same_input(const problem::BufferSpec& a, const problem::BufferSpec& b) {
  return a.input == b.input;
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
  const auto it = std::find_if(shapes_.begin(), shapes_.end(),
                               [&](const problem::Buffer& shape) { return shape.name == buffer; });
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
  return std::any_of(shapes_.begin(), shapes_.end(), [](const problem::Buffer& shape) {
    return shape.role == problem::BufferRole::InOut;
  });
}

std::string Operands::check_result() {
  if (!verifier_.possible()) {
    return {};
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (shapes_[i].name == "C") {
      result_.resize(buffers_[i].bytes());
      buffers_[i].read(result_);
      return verifier_.check(result_);
    }
  }
  return {};
}

}  // namespace tilestep::timing
