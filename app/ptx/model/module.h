// A PTX file as data: functions, memory variables, control flow, lines, source variables and types.
// Immutable once parsed; shared by machines, recordings and panels.
//
// Pure text → value: no NVRTC, no files. docs/reading-ptx.md explains what NVRTC emits and how it
// is read.
#pragma once

#include "problem/result.h"
#include "ptx/model/instruction.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::ptx {

// Source-level types as DWARF describes them (PTX carries DWARF 2 as text; docs/reading-ptx.md).

using TypeId = std::uint32_t;  // index into Module::types
inline constexpr TypeId kNoType = 0xffffffffU;

enum class TypeKind {
  Void,
  Bool,
  SignedInteger,
  UnsignedInteger,
  SignedChar,
  UnsignedChar,
  Float,
  Pointer,
  Reference,
  Array,
  Structure,
  Union,
  Enumeration,
  Function,
  Unknown
};

struct Member {
  std::string name;  // "<Base>": the part of a base class
  TypeId type = kNoType;
  std::uint32_t offset = 0;      // bytes
  std::uint32_t bit_size = 0;    // 0: not a bit-field
  std::uint32_t bit_offset = 0;  // from the least significant bit of the `type` at `offset`
};

struct Enumerator {
  std::string name;
  std::int64_t value = 0;
};

// const, volatile and typedef are part of `name` only, because they do not change the bytes.
struct SourceType {
  TypeKind kind = TypeKind::Unknown;
  std::string name;  // as a programmer writes it: "const float*", "float[4][4]"
  std::uint32_t bytes = 0;
  TypeId element = kNoType;     // Pointer, Reference: target; Array: element
  std::uint32_t count = 0;      // Array: this dimension; 0: unknown (extern shared)
  std::vector<Member> members;  // Structure, Union
  std::vector<Enumerator> enumerators;
};

// One `.loc`. `line` 0 means that there is no source line: for stepping, such an instruction keeps
// the previous line. Inlined code (-lineinfo) names the call that it was inlined from.
struct Line {
  std::uint32_t file = 0;  // index into Module::files
  std::uint32_t line = 0;  // 1-based
  std::uint32_t column = 0;
  std::string function;  // inlined_at only: name of the inlined function
  std::uint32_t inlined_at =
      0;  // index into Function::lines of the call's own .loc; 0: not inlined
};

// A .shared, .global, .const or .local variable.
struct MemoryVariable {
  std::string symbol;  // "_ZZ12matmul_tiledILi4EEvPKfS1_PfiiiE2As"
  std::string name;    // "As": demangled, as in the source; for a piece "ends[1]"
  // A piece of a variable that the compiler splits (names.h): "ends", and the path to the piece.
  std::string whole;
  std::vector<std::uint32_t> path;
  Space space = Space::Global;
  std::uint64_t bytes = 0;  // 0: extern shared, sized by the launch
  std::uint32_t align = 1;
  bool is_extern = false;
  std::uint32_t function = 0xffffffffU;  // the function that declares it; 0xffffffff: file scope
  std::uint32_t local_offset = 0;        // .local: byte offset in its function's frame
  TypeId type = kNoType;                 // from DWARF or the shared-array probe
  std::vector<std::byte> initial;        // empty: zero (global, const) or undefined (shared, local)
  struct Relocation {
    std::uint32_t offset;
    std::uint32_t variable;
    std::int64_t addend;
    bool generic;              // the generic address instead of the address in the variable's space
    bool is_function = false;  // `variable` is an index into Module::functions
    std::uint8_t bytes = 8;    // number of bytes of (address >> shift)
    std::uint8_t shift = 0;
  };
  std::vector<Relocation> relocations;
};

struct Param {
  std::string symbol;
  Type type = Type::B8;      // B8 with bytes > 1: a struct
  std::uint32_t offset = 0;  // in the parameter area
  std::uint32_t bytes = 0;
  std::uint32_t align = 1;
};

// The kind of location of a source variable's value, for the assignment-event rule
// (docs/reading-ptx.md).
enum class LocationKind {
  None,             // optimized out
  Constant,         // SourceVariable::constant
  Register,         // one register for the whole scope: read live
  Events,           // location list: the value is a snapshot, taken when control arrives at an
                    // event's pc
  Memory,           // Module::variables[variable] + offset (shared, global, const, local depot)
  RegisterAddress,  // memory at the generic address in `reg`
  Param,            // incoming parameter area + offset
};

struct SourceVariable {
  std::string name;
  TypeId type = kNoType;
  bool is_parameter = false;
  std::uint32_t decl_file = 0;
  std::uint32_t decl_line = 0;
  LocationKind kind = LocationKind::None;
  Register reg;
  std::uint32_t variable = 0;
  std::uint32_t offset = 0;
  std::vector<std::byte> constant;
};

// On arrival at `pc`, before executing the instruction there: shadow[variable] = value of `reg`.
struct AssignmentEvent {
  std::uint32_t pc = 0;
  std::uint32_t variable = 0;  // index into Function::source_variables
  Register reg;
};

// A lexical scope [low_pc, high_pc). Scope 0 is the function's own.
struct Scope {
  std::uint32_t low_pc = 0;
  std::uint32_t high_pc = 0;
  std::uint32_t parent = 0;
  std::string inlined;  // name of the inlined function, if this is one
  std::uint32_t call_line = 0;
  std::vector<std::uint32_t> variables;  // indices into Function::source_variables
};

struct Function {
  std::string symbol;  // mangled
  std::string name;    // demangled without parameters: "matmul_tiled<4>"
  bool is_entry = false;
  bool is_defined = true;   // false: a forward declaration without body (vprintf, …)
  bool is_builtin = false;  // no .loc of its own: stepped over
  std::vector<Param> params;
  std::vector<Param> returns;
  std::uint32_t param_bytes = 0;     // incoming parameters, then returned values
  std::uint32_t return_offset = 0;   // start of the returned values in the parameter area
  std::uint32_t call_bytes = 0;      // largest call area
  std::uint32_t register_words = 0;  // 32-lane words
  std::uint32_t predicate_count = 0;
  std::uint32_t local_bytes = 0;  // frame of .local variables
  Register stack_pointer{RegisterClass::B64,
                         0xffffffffU};  // %SP, set to the frame's generic address
  Register stack_pointer_local{RegisterClass::B64, 0xffffffffU};  // %SPL, its .local address
  std::uint32_t max_ntid[3] = {0, 0, 0};
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<Line> lines;  // [0] is "no line"
  std::vector<std::vector<std::uint32_t>> branch_tables;
  std::vector<MatrixForm> matrix_forms;
  // By pc: loads from shared memory that machine code has before it and never executes
  // (sass/loops.h). Empty in a parsed module.
  std::map<std::uint32_t, std::uint32_t> padding;
  // In translated machine code (ptx/translate.h), by pc: the index of the machine instruction that
  // it represents, or kNoPc: it is another part of one. Empty: PTX as a compiler wrote it.
  std::vector<std::uint32_t> machine_code;
  std::vector<Scope> scopes;
  std::vector<SourceVariable> source_variables;
  std::vector<AssignmentEvent> events;      // sorted by pc
  std::vector<std::string> register_names;  // parallel to `registers`
  std::vector<Register> registers;
  std::uint32_t first_text_line = 0;  // 1-based, in Module::text
  std::uint32_t last_text_line = 0;
};

struct Module {
  std::string text;     // the PTX itself, for the PTX view
  std::string version;  // "9.0"
  std::string target;   // "sm_80"
  bool is_debug = false;
  bool is_machine_code = false;    // translated: shared arrays are where ptxas places them
  std::vector<std::string> files;  // .file: [0] unused, [1] the kernel's own text
  std::vector<Function> functions;
  std::vector<MemoryVariable> variables;
  std::vector<SourceType> types;
  std::vector<SourceVariable> globals;  // unit-level variables
};

// The source line of `pc` for stepping: line-0 entries use the last real line before them in the
// text; instructions of another file than `file` 1 are stepped over (0).
[[nodiscard]] std::uint32_t statement_line(const Function& function, std::uint32_t pc);

// "@%p1 ld.global.f32 %f1, [%rd4]": the text of one instruction, for display only: its meaning is
// in its fields (rule decoded_once). In translated machine code, that of the machine instruction
// if this one represents it: "@P0 LDG.E R4, desc[UR4][R2.64]", a comment after the PTX.
inline constexpr std::string_view kMachineText = "  // ";
[[nodiscard]] std::string_view instruction_text(const Module& module,
                                                const Instruction& instruction);
// "ld.global.f32": its opcode with all modifiers, for display.
[[nodiscard]] std::string_view opcode_text(const Module& module, const Instruction& instruction);

// Innermost scope at pc, and all variables visible there, inner hiding outer.
[[nodiscard]] std::vector<std::uint32_t> visible_variables(const Function& function,
                                                           std::uint32_t pc);

// A function's scopes and variables at run time.
//
// The rule of docs/reading-ptx.md, "Where a variable's value is": when a thread arrives at `pc`,
// before the instruction there executes, first the variables of every scope whose code starts there
// are cleared, then every event at `pc` copies its register's value.

// Index of the innermost scope that contains `pc`; 0 if the function has no other.
[[nodiscard]] std::uint32_t innermost_scope(const Function& function, std::uint32_t pc);

// Sorts a scope's variables by declaration, parameters first.
void sort_variables(Function& function, Scope& scope);

// Private to app/ptx: finds the kernel's own text among a PTX file's sources.

inline constexpr std::uint32_t kSourceFile = 1;

// NVRTC numbers files in the order of their appearance, so with `#include <cooperative_groups.h>`
// the kernel's own text may be number 22. This swaps the file that contains the start of the first
// kernel with number 1, in Module::files and in every Line. Returns its old number.
std::uint32_t make_source_file_first(Module& module);

// Nested arrays, and their innermost elements.

// The innermost element type of an array (of arrays), or the type itself; kNoType if unknown.
// `counts`, unless null, gets the number of elements of each dimension, outermost first.
[[nodiscard]] TypeId innermost_element(const Module& module, TypeId type,
                                       std::vector<std::uint32_t>* counts = nullptr);

// Names and types of pieces: the remaining parts of a variable that the compiler splits (names.h).

// Names a piece by its declaration: "ends[1]", "p.b[1]", and sets its type to that part's.
// `declared`: the type of the whole variable; kNoType: unknown, and then the numbers are taken as
// indices. Does nothing for variables that are whole. False: the type does not fit, or the numbers
// do not identify the part; then the piece has the name of the whole.
bool name_piece(Module& module, std::uint32_t variable, TypeId declared);

}  // namespace tilestep::ptx
