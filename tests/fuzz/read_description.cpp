// A launch description: if it parses, it is evaluated for a small size, or refused with a sentence.
#include "problem/describe/description.h"
#include "require.h"
#include "targets.h"

namespace tilestep::fuzz {
namespace {

constexpr std::uint64_t kMostBytes = 1U << 20;

void evaluate(const problem::LaunchSpec& spec, const problem::Parameters& parameters) {
  const auto shape = problem::evaluate_shape(spec, parameters);
  if (!shape) {
    require(!shape.error().message.empty(), "an error has a sentence");
    return;
  }
  std::uint64_t bytes = 0;
  for (const problem::Buffer& buffer : shape->buffers) {
    bytes += problem::byte_count(buffer);
  }
  if (bytes > kMostBytes) {
    return;
  }
  const auto launch = problem::evaluate(spec, parameters, problem::InputSpec{});
  if (!launch) {
    return;
  }
  for (const problem::Buffer& buffer : launch->buffers) {
    require(buffer.contents.size() == problem::byte_count(buffer), "a buffer is filled");
  }
  for (const problem::Argument& argument : launch->arguments) {
    require(argument.kind != problem::ArgumentSpec::Kind::Buffer ||
                argument.buffer < launch->buffers.size(),
            "an argument's buffer is there");
  }
}

}  // namespace

void read_description(Bytes bytes) {
  const auto catalog = problem::parse_descriptions(text_of(bytes), "fuzz.toml");
  if (!catalog) {
    require(catalog.error().message.find("fuzz.toml") != std::string::npos,
            "an error names the file");
    return;
  }
  for (const problem::LaunchSpec& spec : catalog->candidates) {
    evaluate(spec, {{5, 3, 7}, 1});
  }
  for (const problem::LaunchSpec& spec : catalog->kernels) {
    for (const int block_size : {1, 4}) {
      evaluate(spec, {spec.default_problem.value_or(problem::Problem{4, 4, 4}), block_size});
      evaluate(spec, {{5, 3, 7}, block_size});
    }
  }
}

}  // namespace tilestep::fuzz
