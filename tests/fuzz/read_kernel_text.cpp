// CUDA C++ text: scanner, device part, guesses and proposals. Words are substrings of the text; the
// device part keeps every position; a proposed description can be read.
#include "compile/device_part.h"
#include "problem/describe/catalog.h"
#include "problem/describe/description.h"
#include "problem/propose/proposal.h"
#include "problem/source/cuda_scanner.h"
#include "problem/source/cuda_text.h"
#include "require.h"
#include "targets.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace tilestep::fuzz {
namespace {

void scan(const std::string& source) {
  std::uint32_t next = 0;
  for (const problem::CudaWord& word : problem::scan_cuda(source).code) {
    require(word.offset >= next && !word.text.empty() &&
                source.compare(word.offset, word.text.size(), word.text) == 0,
            "words stand in the text, one after the other");
    next = word.offset + static_cast<std::uint32_t>(word.text.size());
  }
}

// Every character is unchanged or blanked; only the mark of host functions may be inserted.
void take_device_part(const std::string& source) {
  constexpr std::string_view kMark = "__host__ ";
  const std::string part = compile::device_parts({&source, 1}, "", {}).front().text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (part.compare(at, kMark.size(), kMark) == 0 && source.compare(i, kMark.size(), kMark) != 0) {
      at += kMark.size();
    }
    const bool is_same = at < part.size() && part[at] == source[i];
    const bool is_blanked = at < part.size() && part[at] == ' ' && source[i] != '\n';
    require(is_same || is_blanked, "the device part is the text, with blanks");
    ++at;
  }
  require(at == part.size(), "the device part ends with the text");
  const auto half = static_cast<std::ptrdiff_t>(source.size() / 2);
  const std::string texts[] = {source.substr(0, half), source.substr(half)};
  require(compile::device_parts(texts, "k<4>", {"a.h"}).size() == 2, "every text has its part");
}

// The interface that a compile would give, as far as the text has it.
problem::KernelInterface interface_of(const problem::CudaKernel& kernel) {
  using Kind = problem::ParameterType::Kind;
  problem::KernelInterface interface;
  interface.name = kernel.name;
  for (const problem::CudaParameter& parameter : kernel.parameters) {
    problem::ParameterType value;
    value.kind = parameter.type == "int" ? Kind::Integer : Kind::Float;
    value.name = parameter.type;
    value.bytes = 4;
    problem::ParameterType type = value;
    if (parameter.is_pointer) {
      type.kind = Kind::Pointer;
      type.name += '*';
      type.bytes = 8;
      type.points_to_const = parameter.is_const;
      type.target.push_back(std::move(value));
    }
    interface.parameters.push_back({parameter.name, std::move(type)});
  }
  return interface;
}

void propose(const problem::CudaText& text, const problem::CudaKernel& kernel) {
  const auto start = problem::start_proposal(text, kernel.name);
  if (!start) {
    require(!start.error().message.empty(), "an error has a sentence");
    return;
  }
  const std::string toml =
      problem::proposal_text(problem::propose_launch(*start, text, interface_of(kernel)));
  const auto spec = problem::parse_description(toml, "fuzz.toml");
  require(spec.has_value(), spec ? "" : spec.error().message + "\n" + toml);
}

}  // namespace

void read_kernel_text(Bytes bytes) {
  const std::string source = text_of(bytes);
  scan(source);
  take_device_part(source);
  (void)problem::includes_of(source);
  (void)problem::quoted_includes(source);
  if (const auto spec = problem::guess_launch(source)) {
    (void)problem::evaluate_shape(*spec, {{4, 4, 4}, 2});
  }
  const problem::CudaText text = problem::read_cuda_text(source);
  for (const problem::CudaKernel& kernel : text.kernels) {
    require(kernel.body_begin <= kernel.body_end && kernel.body_end <= text.tokens.size(),
            "a body stands in the text");
    propose(text, kernel);
  }
}

}  // namespace tilestep::fuzz
