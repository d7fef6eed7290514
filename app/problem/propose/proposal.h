// Proposes a launch description for any kernel. A compile gives its parameters; sizes, roles and
// values are guessed from names and from their use in the text. The user edits it.
#pragma once

#include "problem/describe/description.h"
#include "problem/launch/launch.h"
#include "problem/result.h"
#include "problem/source/cuda_text.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::problem {

// A parameter's type from the debug information of a compile.
struct ParameterType {
  enum class Kind { Integer, Float, Bool, Pointer, Structure, Array, Unknown };
  struct Member;

  Kind kind = Kind::Unknown;
  std::string name;  // "const float*"
  std::uint32_t bytes = 0;
  bool is_signed = false;
  bool points_to_const = false;
  std::uint32_t count = 0;            // Array
  std::vector<Member> members;        // Structure, Union
  std::vector<ParameterType> target;  // Pointer, Array: at most one
};
struct ParameterType::Member {
  std::string name;
  ParameterType type;
};

// A kernel's parameters and variables, as a compile reports them.
struct KernelInterface {
  struct Variable {
    std::string name;
    std::string type;  // "float[4][5]"; empty: unknown
    std::uint64_t bytes = 0;
    std::optional<ElementType> element;
  };
  std::string name;  // "matmul<16>"
  std::vector<ParameterType::Member> parameters;
  std::vector<Variable> shared;         // static
  std::vector<Variable> extern_shared;  // sized by the launch
  std::vector<Variable> constants;      // __constant__
  Dim3 launch_bounds{0, 0, 0};          // 0: none
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
};

// The input of the first compile of the kernel: `entry` and `defines` (template arguments and
// macros without a value are guessed). Fails if the text has no such kernel, or, with an empty
// name, not exactly one; the sentence lists them.
[[nodiscard]] Result<LaunchSpec> start_proposal(const CudaText& text, const std::string& name);

// A description that the user checks before using it.
struct Proposal {
  LaunchSpec spec;
  std::vector<std::string> head;       // comment lines
  Notes notes;                         // by place, see description.h
  std::vector<std::string> questions;  // values that could not be inferred, one sentence each
  std::string evidence;                // from propose_launch
};

// `start` is the result of start_proposal with source and source_name; its buffers and sizes (from
// guess_launch) are kept. `evidence`: what a run has shown (ProductGuess); empty: the sizes are
// guesses.
[[nodiscard]] Proposal propose_launch(const LaunchSpec& start, const CudaText& text,
                                      const KernelInterface& kernel,
                                      const std::string& evidence = "");

// The description as TOML with comments.
[[nodiscard]] std::string proposal_text(const Proposal& proposal);

// The buffer element for one of these, and their number: float4 is four F32.
struct ElementGuess {
  ElementType type = ElementType::U8;
  std::uint32_t per_item = 1;
};
[[nodiscard]] ElementGuess element_guess(const ParameterType& type);
[[nodiscard]] inline bool is_real(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 ||
         type == ElementType::F64;
}

// Threads of a block: from the file's own launch, the launch bounds, or a constant or template
// argument with such a name.

// A guessed block and the reason for it.
struct BlockGuess {
  std::array<int, 3> block{1, 1, 1};
  int step = 0;     // rows per block if they are not its threads
  std::string why;  // for a comment in the description
};
[[nodiscard]] BlockGuess block_guess(const LaunchSpec& start, const CudaText& text,
                                     const CudaKernel& kernel, const KernelInterface& interface);

}  // namespace tilestep::problem
