// A launch, described (LaunchSpec: data, with expressions) and evaluated (Launch: numbers).
//
// The description is what kernels/catalog.toml and the `.toml` beside a user's `.cu` hold;
// docs/formats/launch.md documents the file format. Integer expressions may use M, N, K,
// BLOCK_SIZE, + - * / % ( ) comparisons, && || ! ? :, ceil_div(a, b), min(a, b), max(a, b). They
// compute as C does (7 / 2 is 3); a value that is too large and a division by zero are errors.
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

// The values that a buffer must hold at the end: a file's values, or the result of a host function
// of other buffers' inputs.
struct ExpectedSpec {
  std::string reference;            // one of expected_functions() (expected.h); empty: `values`
  std::vector<std::string> of;      // the function's arguments: buffers
  InputSpec values;                 // Csv, Npy or Constant
  std::optional<double> tolerance;  // relative, see compare(); empty: by element type
};

// A buffer of a description; its shape is given by expressions.
struct BufferSpec {
  std::string name;  // "A": unique in the description
  ElementType type = ElementType::F32;
  std::string rows = "1";  // an expression, as cols
  std::string cols = "1";
  std::string pitch;  // in elements; empty: cols
  BufferRole role = BufferRole::Input;
  std::optional<InputSpec> input;  // fixed by the description; otherwise the user chooses
  std::optional<ExpectedSpec> expected;
};

// One kernel argument, in the order of the kernel's parameters.
struct ArgumentSpec {
  enum class Kind { Buffer, Scalar, Struct, TensorMap };
  Kind kind = Kind::Scalar;
  std::string buffer;      // Buffer, TensorMap: its name
  std::string expression;  // Scalar: integer expression or a float literal
  // Struct by value: member → buffer name or expression; the DWARF type defines the layout.
  struct Member;
  std::vector<Member> members;
  // TensorMap (tensor_map.h): the box that one copy moves, as expressions, and the swizzle in
  // bytes.
  std::string box_rows = "1";
  std::string box_cols = "1";
  int swizzle = 0;
};
struct ArgumentSpec::Member {
  std::string name;
  ArgumentSpec value;
};

// A precondition of the kernel, checked before the launch. `sentence` names cause and cure, in
// English.
struct Requirement {
  std::string expression;  // true (nonzero) if the launch is allowed
  std::string sentence;
  // Only a GPU must refuse: the emulator runs the launch and shows what goes wrong.
  bool gpu_only = false;
};

// The expected cost of a kernel as a formula, shown beside the count. `quantity` is "flops",
// "barriers" (of all blocks together), "shared loads", "shared stores" (words), "loads of NAME" or
// "stores of NAME" (elements of a buffer).
struct ClosedForm {
  std::string quantity;
  std::string formula;  // expression
};

// The default target: compute capability 8.0, whose PTX every later GPU runs. "90a" is 9.0 with
// instructions that no other GPU has (wgmma, setmaxnreg).
inline constexpr const char* kUsualArchitecture = "80";
[[nodiscard]] bool is_architecture(const std::string& name);  // "80", "90a"

// The description of a kernel and its launches; every size is an expression.
struct LaunchSpec {
  std::string id;  // "tiled"
  // Texts for readers are in English; use tr() to show them.
  std::string title;    // "Tiled (shared memory)"
  std::string family;   // "Tiles": kernels of one family are listed together
  std::string summary;  // one sentence
  // "tuned", "teaching": names its tile sizes if the kernel has several instances.
  std::string instance;
  // These sizes in the file's order, {"BM", 128}; empty: none.
  std::vector<std::pair<std::string, std::int64_t>> values;
  // The multiply-add if it is not float's FFMA, "tf32x3"; empty: FFMA.
  std::string arithmetic;
  std::string source_name;  // "tiled.cu": the name in messages and .file lines
  std::string source;       // the text that is compiled and shown
  // Texts of #include "…" files, by the name in the directive.
  std::map<std::string, std::string> headers;
  std::vector<std::string> include;  // folders of such files, relative to the description
  std::string entry;                 // "matmul_tiled<BLOCK_SIZE>" or "matmul_naive"
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
  std::vector<ClosedForm> closed_forms;  // valid if no requirement is violated
  bool uses_block_size = true;           // false hides the slider
  int default_block_size = 4;
  std::optional<Problem> default_problem;
  std::uint32_t focus_thread = 0;    // the initial focus, linear in its block
  bool ladder = false;               // a rung of the ladder from the plainest to the fastest kernel
  bool timed = true;                 // sweeps over the whole catalog measure it
  std::string reference = "matmul";  // "matmul"; "": nothing to compare with
};

// The values of the sliders.
struct Parameters {
  Problem problem;
  int block_size = 4;

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

// A kernel's initial parameters.
[[nodiscard]] inline Parameters default_parameters(const LaunchSpec& spec) {
  return {spec.default_problem.value_or(Problem{}), spec.default_block_size};
}

// An ExpectedSpec with its expressions and names evaluated.
struct Expected {
  std::string reference;
  std::vector<std::size_t> of;  // indices into Launch::buffers
  std::vector<double> values;   // row-major, rows·cols; empty if there is a `reference`
  double tolerance = 0.0;
};

// A buffer of a launch: rows×cols elements, row-major, `pitch` elements from row to row.
struct Buffer {
  std::string name;
  ElementType type = ElementType::F32;
  int rows = 0;
  int cols = 0;
  int pitch = 0;  // elements
  BufferRole role = BufferRole::Input;
  // rows·pitch elements. Outputs are filled with 0xFF (NaN), so that unwritten ones are visible.
  std::vector<std::byte> contents;
  std::optional<Expected> expected;  // set by evaluate(), not by evaluate_shape()
};
[[nodiscard]] std::uint64_t byte_count(const Buffer& buffer);  // of rows·pitch elements
// "A[2][3]"; "x[3]" if the buffer has one row.
[[nodiscard]] std::string element_name(const Buffer& buffer, std::int64_t row, std::int64_t col);

// An ArgumentSpec with its expressions evaluated.
struct Argument {
  ArgumentSpec::Kind kind = ArgumentSpec::Kind::Scalar;
  std::size_t buffer = 0;    // Buffer, TensorMap: index into Launch::buffers
  std::int64_t integer = 0;  // Scalar
  double real = 0.0;         // Scalar
  bool is_real = false;
  struct Member;
  std::vector<Member> members;
  TensorMap map;  // TensorMap: everything but the address
};
struct Argument::Member {
  std::string name;
  Argument value;
};

// One launch with every expression evaluated: everything that an emulator or a GPU needs except the
// code.
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
  std::vector<Buffer> variables;  // initial values of __constant__ and __device__ variables
  std::vector<Argument> arguments;
  std::string reference;
  // Reasons why a GPU must not run it (sentences of unmet requirements that are for GPUs only), in
  // English: use tr() to show them. Empty: it may run.
  std::vector<std::string> not_on_gpu;
};

// Limit in bytes for the contents of all buffers that evaluate() fills.
inline constexpr std::uint64_t kLargestContents = 2ULL << 30;

// Zero: buffers of any size without contents, which the emulator reads as zeros; for counts that do
// not depend on contents. Variables of the kernel's source are filled in both cases.
enum class BufferContents { Filled, Zero };

// Evaluates a description. Fails with a sentence if an expression is invalid, a requirement does
// not hold, a block has more than 1024 threads (CUDA C++ Programming Guide, "Compute
// Capabilities"), a grid dimension is 0, a buffer does not fit in memory, or an input is unusable.
[[nodiscard]] Result<Launch> evaluate(const LaunchSpec& spec, const Parameters& parameters,
                                      const InputSpec& input,
                                      BufferContents contents = BufferContents::Filled);

// As evaluate, but fills no buffers: for compiling.
[[nodiscard]] Result<Launch> evaluate_shape(const LaunchSpec& spec, const Parameters& parameters);

[[nodiscard]] const Buffer* find_buffer(const Launch& launch, const std::string& name);

// The blocks of a grid, or the threads of a block, in each direction: "4×8", "4×8×4".
[[nodiscard]] inline std::string extent_text(Dim3 d) {
  return d.z > 1 ? fmt::format("{}×{}×{}", d.x, d.y, d.z) : fmt::format("{}×{}", d.x, d.y);
}

// Shows a large problem's edges at a size that can be stepped.

// The problem with the fewest tiles of BLOCK_SIZE (two per dimension if `full` has as many, more
// until it has 8 elements) whose last tiles are as full as those of `full`: 1000 with BLOCK_SIZE 16
// becomes 24, two tiles of which the second is half empty. 0: the kernel has no BLOCK_SIZE, and
// every element counts as a tile.
[[nodiscard]] Problem miniature(const Problem& full, int block_size);

// How a kernel's text is compiled.

// Step: -G, source order, DWARF; for stepping. Fast: -lineinfo, optimized PTX; for counters,
// checks, GPU. Machine: what ptxas makes of the fast build, the instructions that hardware
// executes, with its registers.
enum class Build { Step, Fast, Machine };

}  // namespace tilestep::problem
