// A launch description proposed for any kernel: its parameters are known from a compile, everything
// else (sizes, roles, values) is guessed from names and from how the text uses them. People edit
// it.
#pragma once

#include "problem/describe/description_text.h"
#include "problem/launch/launch.h"
#include "problem/result.h"
#include "problem/source/cuda_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::problem {

// A parameter's type, as the debug information of a compile has it.
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
  std::vector<ParameterType> target;  // Pointer, Array: none or one
};
struct ParameterType::Member {
  std::string name;
  ParameterType type;
};

struct KernelInterface {
  struct Variable {
    std::string name;
    std::string type;  // "float[4][5]"; empty: not known
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

// What a compile of the kernel needs before anything else is known: `entry` and `defines` (template
// arguments and macros without a value are guessed). Fails when the text has no such kernel, or,
// with an empty name, not exactly one; the sentence lists them.
[[nodiscard]] Result<LaunchSpec> start_proposal(const CudaText& text, const std::string& name);

// A description that people read before they trust it.
struct Proposal {
  LaunchSpec spec;
  std::vector<std::string> head;       // comment lines
  Notes notes;                         // by place, see description_text.h
  std::vector<std::string> questions;  // what could not be inferred, one sentence each
  std::string evidence;                // propose_launch's
};

// `start` is start_proposal's, with source and source_name; what it has of buffers and sizes
// (guess_launch's) is kept. `evidence`: what a run of it has shown (ProductGuess); empty: its sizes
// are guesses.
[[nodiscard]] Proposal propose_launch(const LaunchSpec& start, const CudaText& text,
                                      const KernelInterface& kernel,
                                      const std::string& evidence = "");

// The description as TOML with comments.
[[nodiscard]] std::string proposal_text(const Proposal& proposal);

// The buffer element that stands for one of these, and how many of them: float4 is four F32.
struct ElementGuess {
  ElementType type = ElementType::U8;
  std::uint32_t per_item = 1;
};
[[nodiscard]] ElementGuess element_guess(const ParameterType& type);
[[nodiscard]] inline bool is_real(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 ||
         type == ElementType::F64;
}

}  // namespace tilestep::problem
