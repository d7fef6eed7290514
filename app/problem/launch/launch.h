// A launch, described (LaunchSpec: data, with expressions) and evaluated (Launch: numbers).
//
// The description is what kernels/catalog.toml holds and what stands in a `.toml` beside a user's
// `.cu`; docs/formats.md documents the file format. Integer expressions may use M, N, K,
// BLOCK_SIZE, + - * / % ( ) comparisons, && || ! ? :, ceil_div(a, b), min(a, b), max(a, b); they
// compute as C does (7 / 2 is 3), and what is too large or divides by zero is a sentence.
#pragma once

#include "problem/launch/tensor_map.h"
#include "problem/problem.h"
#include "problem/result.h"
#include "problem/values/element.h"
#include "problem/values/inputs.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::problem {

enum class BufferRole { Input, Output, InOut };

// What a buffer has to hold in the end: a file's values, or what a function of the host's makes of
// other buffers' inputs.
struct ExpectedSpec {
  std::string reference;            // one of expected_functions() (expected.h); empty: `values`
  std::vector<std::string> of;      // buffers the function takes
  InputSpec values;                 // Csv, Npy or Constant
  std::optional<double> tolerance;  // relative, see compare(); empty: by element type
};

struct BufferSpec {
  std::string name;  // "A": unique in the description
  ElementType type = ElementType::F32;
  std::string rows = "1";  // expressions
  std::string cols = "1";
  std::string pitch;  // elements from row to row; empty: cols
  BufferRole role = BufferRole::Input;
  std::optional<InputSpec> input;  // fixed by the description; otherwise the user's choice
  std::optional<ExpectedSpec> expected;
};

// One kernel argument, in the order of the kernel's parameters.
struct ArgumentSpec {
  enum class Kind { Buffer, Scalar, Struct, TensorMap };
  Kind kind = Kind::Scalar;
  std::string buffer;      // Buffer, TensorMap: its name
  std::string expression;  // Scalar: integer expression or a float literal
  // Struct by value: member → buffer name or expression; laid out from the DWARF type.
  struct Member;
  std::vector<Member> members;
  // TensorMap (tensor_map.h): expressions of the box that one copy moves, and the swizzle in bytes.
  std::string box_rows = "1";
  std::string box_cols = "1";
  int swizzle = 0;
};
struct ArgumentSpec::Member {
  std::string name;
  ArgumentSpec value;
};

// A precondition of the kernel, said before launching. `sentence` names cause and cure, in English.
struct Requirement {
  std::string expression;  // true (non-zero) when the launch is allowed
  std::string sentence;
  // Only a GPU has to refuse: our machine survives it and shows what goes wrong.
  bool gpu_only = false;
};

// What a kernel ought to cost, as a formula: to stand beside the count. `quantity` is "flops",
// "barriers" (of all blocks together), "shared loads", "shared stores" (words), "loads of NAME" or
// "stores of NAME" (elements of a buffer).
struct ClosedForm {
  std::string quantity;
  std::string formula;  // expression
};

// What a kernel is compiled for unless it says otherwise: compute capability 8.0, whose PTX every
// later GPU runs. "90a" is 9.0 with the instructions that no other GPU has (wgmma, setmaxnreg).
inline constexpr const char* kUsualArchitecture = "80";
[[nodiscard]] bool is_architecture(const std::string& name);  // "80", "90a"

struct LaunchSpec {
  std::string id;  // "tiled"
  // Texts for a reader are kept in English: tr() where they are shown.
  std::string title;     // "Tiled (shared memory)"
  std::string family;    // "Tiles": kernels of one are listed together
  std::string summary;   // one sentence
  std::string instance;  // "tuned", "teaching": its tile sizes, where a kernel has several
  // Those sizes in the file's order, {"BM", 128}; empty: the kernel has none.
  std::vector<std::pair<std::string, std::int64_t>> values;
  // What multiplies and adds where it is not float's FFMA, "tf32x3"; empty: it is.
  std::string arithmetic;
  std::string source_name;  // "tiled.cu": how messages and .file lines call the text
  std::string source;       // the text that is compiled and shown
  std::map<std::string, std::string> headers;  // texts of its #include "…" files, by that name
  std::vector<std::string> include;            // folders of such files, relative to the description
  std::string entry;                           // "matmul_tiled<BLOCK_SIZE>" or "matmul_naive"
  std::map<std::string, std::string>
      defines;  // {"BLOCK_SIZE", "BLOCK_SIZE"}: value is an expression
  std::string architecture = kUsualArchitecture;
  std::array<std::string, 3> grid{"1", "1", "1"};
  std::array<std::string, 3> block{"1", "1", "1"};
  std::string dynamic_shared_bytes = "0";
  std::vector<BufferSpec> buffers;
  std::vector<BufferSpec> variables;  // __constant__ and __device__ variables by name: inputs
  std::vector<ArgumentSpec> arguments;
  std::vector<Requirement> requirements;
  std::vector<ClosedForm> closed_forms;  // hold where no requirement is broken
  bool uses_block_size = true;           // false hides the slider
  int default_block_size = 4;
  std::optional<Problem> default_problem;
  std::uint32_t focus_thread = 0;    // the one in focus at first, linear in its block
  bool ladder = false;               // a rung of the way from the plainest to the fastest
  bool timed = true;                 // sweeps over the whole catalog take it along
  std::string reference = "matmul";  // "matmul", or "" when there is nothing to compare with
};

// What the sliders set.
struct Parameters {
  Problem problem;
  int block_size = 4;

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

// What a kernel is shown with unless somebody asks for more.
[[nodiscard]] inline Parameters default_parameters(const LaunchSpec& spec) {
  return {spec.default_problem.value_or(Problem{}), spec.default_block_size};
}

struct Expected {
  std::string reference;
  std::vector<std::size_t> of;  // indices into Launch::buffers
  std::vector<double> values;   // row-major, rows·cols; empty where there is a `reference`
  double tolerance = 0.0;
};

struct Buffer {
  std::string name;
  ElementType type = ElementType::F32;
  int rows = 0;
  int cols = 0;
  int pitch = 0;  // elements
  BufferRole role = BufferRole::Input;
  std::vector<std::byte>
      contents;  // rows·pitch elements. Outputs hold 0xFF.. (NaN): unwritten shows
  std::optional<Expected> expected;  // of evaluate(), not of evaluate_shape()
};
[[nodiscard]] std::uint64_t byte_count(const Buffer& buffer);  // of rows·pitch elements
// "A[2][3]"; "x[3]" where the buffer has one row.
[[nodiscard]] std::string element_name(const Buffer& buffer, std::int64_t row, std::int64_t col);

struct Argument {
  ArgumentSpec::Kind kind = ArgumentSpec::Kind::Scalar;
  std::size_t buffer = 0;    // Buffer, TensorMap: index into Launch::buffers
  std::int64_t integer = 0;  // Scalar
  double real = 0.0;         // Scalar
  bool is_real = false;
  struct Member;
  std::vector<Member> members;
  TensorMap map;  // TensorMap: all but the address
};
struct Argument::Member {
  std::string name;
  Argument value;
};

// One launch with every expression evaluated: everything a machine or a GPU needs but the code.
struct Launch {
  std::string id;
  Parameters parameters;
  std::string source_name;
  std::string source;
  std::map<std::string, std::string> headers;
  std::string entry;                           // "matmul_tiled<4>"
  std::map<std::string, std::string> defines;  // {"BLOCK_SIZE", "4"}
  std::string architecture = kUsualArchitecture;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Buffer> buffers;
  std::vector<Buffer> variables;  // what stands in __constant__ and __device__ variables at first
  std::vector<Argument> arguments;
  std::string reference;
  // Why a GPU must not run it (the sentences of requirements that are for GPUs only, and do not
  // hold), in English: tr() where they are shown; empty: it may.
  std::vector<std::string> not_on_gpu;
};

// evaluate() fills no more than this, all buffers together.
inline constexpr std::uint64_t kLargestContents = 2ULL << 30;

// Zero: buffers of any size, without contents; the machine has zeros there. For counting where no
// contents matter. Variables of the kernel's source have theirs all the same.
enum class BufferContents { Filled, Zero };

// Evaluates a description. Fails with a sentence when an expression is wrong, a requirement does
// not hold, a block has more than 1024 threads (CUDA C++ Programming Guide, "Compute
// Capabilities"), a grid dimension is 0, a buffer does not fit in memory, or an input is unusable.
[[nodiscard]] Result<Launch> evaluate(const LaunchSpec& spec, const Parameters& parameters,
                                      const InputSpec& input,
                                      BufferContents contents = BufferContents::Filled);

// As evaluate, but fills nothing at all: for compiling.
[[nodiscard]] Result<Launch> evaluate_shape(const LaunchSpec& spec, const Parameters& parameters);

[[nodiscard]] const Buffer* find_buffer(const Launch& launch, const std::string& name);

// How many blocks a grid has, or threads a block, in each direction: "4×8", "4×8×4".
[[nodiscard]] inline std::string extent_text(Dim3 d) {
  return d.z > 1 ? fmt::format("{}×{}×{}", d.x, d.y, d.z) : fmt::format("{}×{}", d.x, d.y);
}

// A large problem's edges on a size that can be stepped.

// The problem with the fewest tiles of BLOCK_SIZE (two a dimension where `full` has as many, more
// until it has 8 elements) whose last tiles are as full as those of `full`: 1000 with BLOCK_SIZE 16
// becomes 24, two tiles of which the second is half empty. 0: the kernel has no BLOCK_SIZE, and
// every element counts as a tile.
[[nodiscard]] Problem miniature(const Problem& full, int block_size);

// How a kernel's text is compiled.

// Step: -G, source order, DWARF; for stepping. Fast: -lineinfo, optimised, what hardware executes;
// for counters, checks, GPU.
enum class Build { Step, Fast };

}  // namespace tilestep::problem
