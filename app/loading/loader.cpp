#include "loading/loader.h"

#include "loading/probe.h"
#include "problem/describe/words.h"
#include "problem/tr.h"
#include "problem/values/element.h"
#include "ptx/model/names.h"
#include "ptx/parse.h"
#include "ptx/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace tilestep::loading {
namespace {

using ptx::Function;
using ptx::kNoType;
using ptx::MemoryVariable;
using ptx::Module;
using ptx::parse;
using ptx::parse_local_name;
using ptx::Space;

tl::unexpected<LoadFailure> failure(Error error,
                                    std::vector<compile::Diagnostic> diagnostics = {}) {
  return tl::unexpected<LoadFailure>(LoadFailure{std::move(error), std::move(diagnostics)});
}

// "tiled.cu:12:9: identifier "foo" is undefined": the first error of a failed compile, or its
// missing header.
std::string failure_sentence(const compile::Output& output, const std::string& source_name) {
  auto error = std::find_if(output.diagnostics.begin(), output.diagnostics.end(),
                            [](const compile::Diagnostic& diagnostic) {
                              return diagnostic.severity == compile::Severity::Error ||
                                     compile::names_missing_header(diagnostic);
                            });
  if (error == output.diagnostics.end()) {
    std::string first_line = output.log.substr(0, output.log.find('\n'));
    return tr("{} did not compile: {}", source_name,
              first_line.empty() ? tr("the compiler gave no reason.") : first_line);
  }
  std::string place = error->file.empty() ? source_name : error->file;
  if (error->line > 0) {
    place += fmt::format(":{}", error->line);
  }
  if (error->line > 0 && error->column > 0) {
    place += fmt::format(":{}", error->column);
  }
  return fmt::format("{}: {}", place, error->message);
}

// The compiler's name for the kernel if there is one; otherwise the only kernel of the text.
std::optional<std::uint32_t> find_entry(const Module& module, const compile::Output& output,
                                        const std::string& entry) {
  std::vector<std::uint32_t> kernels;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    const Function& function = module.functions[i];
    if (!function.is_entry) {
      continue;
    }
    if (function.symbol == output.entry || function.symbol == entry) {
      return i;
    }
    kernels.push_back(i);
  }
  for (std::uint32_t i : kernels) {
    if (module.functions[i].name == entry) {
      return i;
    }
  }
  return std::nullopt;
}

// 1-based line of the first byte that is not UTF-8; 0: there is none.
int line_that_is_not_utf8(const std::string& text) {
  int line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    line += first == '\n' ? 1 : 0;
    const int more = first < 0x80            ? 0
                     : first >> 5 == 0b110   ? 1
                     : first >> 4 == 0b1110  ? 2
                     : first >> 3 == 0b11110 ? 3
                                             : -1;
    for (int k = 0; k < more; ++k) {
      ++i;
      if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
        return line;
      }
    }
    if (more < 0) {
      return line;
    }
  }
  return 0;
}

std::string entry_sentence(const Module& module, const problem::Launch& launch) {
  if (const int line = line_that_is_not_utf8(launch.source); line > 0) {
    return tr(
        "{}:{}: this character is not UTF-8, so the compiler cannot report the kernels' names. "
        "Save the file as UTF-8.",
        launch.source_name, line);
  }
  std::string others;
  for (const Function& function : module.functions) {
    if (function.is_entry) {
      others += (others.empty() ? "" : ", ") + function.name;
    }
  }
  return tr("{} has no __global__ function {}{}. Set `entry` to the kernel's name.",
            launch.source_name, launch.entry,
            others.empty() ? std::string() : tr(" (it has {})", others));
}

// Names of the memory variables whose missing type a probe can find: those declared in functions,
// and in a module without debug information all of the text's. ($str is a string.)
std::vector<std::string> untyped_variables(const Module& module) {
  std::vector<std::string> names;
  for (const MemoryVariable& variable : module.variables) {
    bool is_candidate = variable.type == kNoType && variable.space != Space::Local &&
                        !variable.symbol.starts_with('$') && !variable.symbol.starts_with("__");
    bool is_local = parse_local_name(variable.symbol).has_value();
    if (is_candidate && (is_local || module.types.empty())) {
      names.push_back(variable.name);
    }
  }
  return names;
}

std::string raw_bytes_note(const Module& module, const std::string& why) {
  std::vector<std::string> names = untyped_variables(module);
  return names.empty() ? std::string()
                       : tr("{} is shown as raw bytes: {}", fmt::join(names, ", "), why);
}

// Inserts probes into the text and its headers. False if there is nothing to probe.
bool insert_probes(compile::Request& request, const Module& module) {
  bool has_probe = false;
  auto probe = [&](std::string& text) {
    if (std::string probed = make_probe_source(text, module); !probed.empty()) {
      text = std::move(probed);
      has_probe = true;
    }
  };
  probe(request.source);
  for (auto& [name, text] : request.headers) {
    probe(text);
  }
  return has_probe;
}

// Compiles the probe and copies its types. Returns a sentence that says which variables have none,
// and why, or "".
std::string probe_types(compile::Compiler& compiler, const problem::Launch& launch,
                        compile::Build build, Module& module) {
  if (untyped_variables(module).empty()) {
    return {};
  }
  // A probe is always a step build: only its debug information is used.
  compile::Request request = compile::make_request(launch, compile::Build::Step);
  bool has_probe = insert_probes(request, module);
  constexpr Message kNotFound = "the declaration was not found in the source.";
  if (!has_probe && build == compile::Build::Step) {
    return raw_bytes_note(module, kNotFound.text());
  }
  // With nothing to probe, a fast build takes its types from the step build of the text.
  Result<compile::Output> output = compiler.compile(request);
  if (!output) {
    return raw_bytes_note(module, output.error().message);
  }
  if (!output->ok()) {
    return raw_bytes_note(module, tr("the source that declares the types did not compile: {}",
                                     failure_sentence(*output, launch.source_name)));
  }
  Result<Module> probe = parse(std::move(output->ptx));
  if (!probe) {
    return raw_bytes_note(module, probe.error().message);
  }
  apply_probe(module, *probe);
  return raw_bytes_note(module, kNotFound.text());
}

// Whether values of this type can be the elements of a variable. A variable of unknown type may
// have any, and a struct is filled as bytes.
bool are_elements(const Module& module, ptx::TypeId type, problem::ElementType element) {
  while (type != kNoType && module.types[type].kind == ptx::TypeKind::Array) {
    type = module.types[type].element;
  }
  if (type == kNoType) {
    return true;
  }
  using enum ptx::TypeKind;
  using E = problem::ElementType;
  const ptx::SourceType& own = module.types[type];
  const bool is_real =
      element == E::F16 || element == E::BF16 || element == E::F32 || element == E::F64;
  const bool fits = own.bytes == problem::byte_size(element);
  return own.kind == Float                                          ? is_real && fits
         : own.kind == SignedInteger || own.kind == UnsignedInteger ? !is_real && fits
                                                                    : true;
}

// Initial contents of __constant__ and __device__ variables, as a host would have copied them.
Result<void> set_variables(Module& module, const problem::Launch& launch) {
  for (const problem::Buffer& set : launch.variables) {
    const auto found = std::find_if(
        module.variables.begin(), module.variables.end(), [&](const MemoryVariable& variable) {
          bool is_set = variable.space == Space::Const || variable.space == Space::Global;
          return is_set && variable.name == set.name;
        });
    if (found == module.variables.end()) {
      return fail(tr(
          "{}: variable '{}' of the description is not a __constant__ or __device__ variable that "
          "the kernel uses. Remove it from `variables`, or correct its name.",
          launch.source_name, set.name));
    }
    if (!are_elements(module, found->type, set.type)) {
      return fail(
          tr("{}: variable '{}' is {}, but the description gives it elements of the type {}. Add "
             "the correct type, for example type = \"s32\" for int.",
             launch.source_name, set.name, module.types[found->type].name, word_of(set.type).file));
    }
    if (set.contents.size() > found->bytes) {
      return fail(
          tr("{}: variable '{}' has {} bytes, but the description gives {} bytes. Correct its "
             "type, rows and cols.",
             launch.source_name, set.name, found->bytes, set.contents.size()));
    }
    found->initial = set.contents;
    found->relocations.clear();
  }
  return {};
}

tl::expected<Kernel, LoadFailure> load_build(compile::Compiler& compiler,
                                             const problem::Launch& launch, compile::Build build) {
  Result<compile::Output> output = compiler.compile(compile::make_request(launch, build));
  if (!output) {
    return failure(output.error());
  }
  if (!output->ok()) {
    std::string sentence = failure_sentence(*output, launch.source_name);
    return failure(Error{std::move(sentence)}, std::move(output->diagnostics));
  }
  Result<Module> module = parse(output->ptx);
  if (!module) {
    return failure(
        Error{tr("The PTX of {} cannot be read: {}", launch.source_name, module.error().message)},
        std::move(output->diagnostics));
  }
  std::optional<std::uint32_t> entry = find_entry(*module, *output, launch.entry);
  if (!entry) {
    return failure(Error{entry_sentence(*module, launch)}, std::move(output->diagnostics));
  }
  if (Result<void> set = set_variables(*module, launch); !set) {
    return failure(set.error(), std::move(output->diagnostics));
  }
  Kernel kernel;
  kernel.note = probe_types(compiler, launch, build, *module);
  kernel.module = std::make_shared<const Module>(std::move(*module));
  kernel.entry = *entry;
  kernel.build = build;
  kernel.output = std::move(*output);
  return kernel;
}

// Whether an argument is a structure in its description, or in PTX: bytes without a type.
bool leaves_layouts_open(const Kernel& kernel, const problem::Launch& launch) {
  const std::vector<ptx::Param>& params = kernel.module->functions[kernel.entry].params;
  return std::any_of(launch.arguments.begin(), launch.arguments.end(),
                     [](const problem::Argument& argument) {
                       return argument.kind == problem::ArgumentSpec::Kind::Struct;
                     }) ||
         std::any_of(params.begin(), params.end(), [](const ptx::Param& param) {
           return param.bytes != ptx::byte_size(param.type);
         });
}

}  // namespace

int machine_architecture(const problem::Launch& launch) {
  const std::string& own = launch.architecture;
  return own.ends_with('a') ? std::stoi(own) : 90;
}

Result<Kernel> as_machine_code(compile::Compiler& compiler, const problem::Launch& launch,
                               const Kernel& kernel, int architecture) {
  assert(kernel.build != compile::Build::Step && "a step build has other machine code");
  Result<compile::Output> output =
      compiler.compile(compile::make_cubin_request(launch, architecture));
  TILESTEP_RETURN_IF_ERROR(output);
  if (!output->ok()) {
    return fail(tr("{} did not compile for compute capability {}.{}: {}", launch.source_name,
                   architecture / 10, architecture % 10, output->log));
  }
  Result<ptx::CubinKernel> cubin = ptx::read_cubin(output->cubin, output->entry);
  TILESTEP_RETURN_IF_ERROR(cubin);
  Result<ptx::Module> translated = ptx::translate_sass(*cubin, *kernel.module, kernel.entry);
  TILESTEP_RETURN_IF_ERROR(translated);
  Kernel result = kernel;
  result.module = std::make_shared<const ptx::Module>(std::move(*translated));
  result.entry = 0;
  result.build = compile::Build::Machine;
  result.cubin = std::make_shared<const ptx::CubinKernel>(*std::move(cubin));
  return result;
}

tl::expected<Kernel, LoadFailure> load_kernel(compile::Compiler& compiler,
                                              const problem::Launch& launch, compile::Build build,
                                              Declarations declarations) {
  auto kernel = load_build(compiler, launch, build);
  if (!kernel || build == compile::Build::Step) {
    return kernel;
  }
  if (declarations == Declarations::Always || leaves_layouts_open(*kernel, launch)) {
    auto step = load_build(compiler, launch, compile::Build::Step);
    if (!step) {
      return step;
    }
    kernel->step = std::make_shared<const Kernel>(std::move(*step));
  }
  if (build == compile::Build::Machine) {
    auto machine = as_machine_code(compiler, launch, *kernel, machine_architecture(launch));
    if (!machine) {
      return failure(std::move(machine.error()), std::move(kernel->output.diagnostics));
    }
    return *std::move(machine);
  }
  return kernel;
}

}  // namespace tilestep::loading
