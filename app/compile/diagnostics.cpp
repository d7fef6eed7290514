#include "compile/diagnostics.h"

#include "problem/source/cuda_text.h"
#include "problem/source/syntax_check.h"
#include "problem/tr.h"
#include "problem/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <re2/re2.h>
#include <sstream>
#include <utility>

namespace tilestep::compile {
namespace {

// The file in which NVRTC parses name expressions.
constexpr const char* kNameFile = "__nv_name_map";

// The front end indents the source line and its caret by this much.
constexpr std::size_t kIndent = 2;

Severity severity_of(const std::string& word) {
  if (word == "warning") {
    return Severity::Warning;
  }
  return word == "note" || word == "remark" ? Severity::Note : Severity::Error;
}

// The compiler's text, and its meaning here.
struct NotSimulated {
  const char* message;
  Message sentence;
};
constexpr NotSimulated kNotSimulated[] = {
    {R"re(device-side kernel launch|identifier "cuda(Malloc|Free|Mem|Device|Get|Peek|Stream|Event))re",
     Message(
         "dynamic parallelism (a kernel that launches kernels or calls the CUDA runtime) is not "
         "simulated: Tilestep executes one kernel at a time. Launch from the host instead, and "
         "describe and check each kernel alone.")},
    {R"re(__cluster_dims__|__block_size__|no member "(this_cluster|cluster_group)"|"__cluster)re",
     Message("clusters of blocks are not simulated: Tilestep compiles for compute capability 8.0, "
             "which has none. Let blocks exchange values through global memory, with a launch for "
             "each part.")},
    {R"re(identifier "(texture|surface)" is undefined|(texture|surface) is not a template)re",
     Message("textures and surfaces are not simulated. Pass a pointer to the data instead, and "
             "index it.")},
};

// Headers of the toolkit, and the names that they declare.
struct DeclaredIn {
  const char* header;
  const char* names;
};
constexpr DeclaredIn kDeclaredIn[] = {
    {"cooperative_groups.h",
     "cooperative_groups|cg|this_(thread_block|grid|cluster)|thread_block(_tile)?|grid_group|"
     "tiled_partition|coalesced_(threads|group)|thread_group"},
    {"cuda_fp16.h",
     "half2?|__half2?|__(float|double|int|uint|short|ushort)2half\\w*|__float22half2\\w*|"
     "__half2?2?(float2?|int|short|uint)\\w*|__halves2half2|__h(add|sub|mul|fma|div|neg|max|min|lt|"
     "gt|le|ge|eq|ne)2?|h(exp|log|sqrt|rsqrt|sin|cos|rcp)2?"},
    {"cuda_bf16.h", "_*nv_bfloat162?|__(float|double|int)2bfloat16\\w*|__bfloat16\\w*"},
    {"cuda_fp8.h", "__nv_fp8\\w*"},
    {"mma.h", "nvcuda|wmma"},
    {"curand_kernel.h", "curand\\w*"},
    {"cuComplex.h", "cu(Float|Double)?Complex|make_cu\\w*Complex|cuC\\w+"},
    {"math_constants.h", "CUDART_\\w+"},
    {"cuda_pipeline.h", "__pipeline_\\w+"},
    {"cuda/pipeline", "cuda::(pipeline\\w*|make_pipeline|thread_scope\\w*)"},
    {"cuda/barrier", "cuda::(barrier|memcpy_async|aligned_size_t)"},
    {"cuda/atomic", "cuda::atomic\\w*"},
    {"cub/cub.cuh", "cub"},
};

// The compiler's sentences that beginners meet, with its names as places.
struct Sentence {
  const char* form;
  Message words;
};
constexpr Sentence kSentences[] = {
    {R"re(identifier "(.*)" is undefined)re", Message("identifier \"{0}\" is undefined")},
    {R"re(expected a "(.*)")re", Message("expected a \"{0}\"")},
    {R"re(expected an expression)re", Message("expected an expression")},
    {R"re(expected an identifier)re", Message("expected an identifier")},
    {R"re(expected a statement)re", Message("expected a statement")},
    {R"re(expected a declaration)re", Message("expected a declaration")},
    {R"re(expression must be a modifiable lvalue)re",
     Message("expression must be a modifiable lvalue")},
    {R"re(expression must have a constant value)re",
     Message("expression must have a constant value")},
    {R"re(expression must have integral or unscoped enum type)re",
     Message("expression must have integral or unscoped enum type")},
    {R"re(expression must have arithmetic or unscoped enum type)re",
     Message("expression must have arithmetic or unscoped enum type")},
    {R"re(expression must have pointer-to-object type but it has type "(.*)")re",
     Message("expression must have pointer-to-object type but it has type \"{0}\"")},
    {R"re(expression must have class type but it has type "(.*)")re",
     Message("expression must have class type but it has type \"{0}\"")},
    {R"re((?:class|struct) "(.*)" has no member "(.*)")re",
     Message("class \"{0}\" has no member \"{1}\"")},
    {R"re(namespace "(.*)" has no member "(.*)")re",
     Message("namespace \"{0}\" has no member \"{1}\"")},
    {R"re("(.*)" has already been declared in the current scope)re",
     Message("\"{0}\" has already been declared in the current scope")},
    {R"re(a value of type "(.*)" cannot be used to initialize an entity of type "(.*)")re",
     Message("a value of type \"{0}\" cannot be used to initialize an entity of type \"{1}\"")},
    {R"re(a value of type "(.*)" cannot be assigned to an entity of type "(.*)")re",
     Message("a value of type \"{0}\" cannot be assigned to an entity of type \"{1}\"")},
    {R"re(argument of type "(.*)" is incompatible with parameter of type "(.*)")re",
     Message("argument of type \"{0}\" is incompatible with parameter of type \"{1}\"")},
    {R"re(operand types are incompatible \("(.*)" and "(.*)"\))re",
     Message("operand types are incompatible (\"{0}\" and \"{1}\")")},
    {R"re(too few arguments in function call)re", Message("too few arguments in function call")},
    {R"re(too many arguments in function call)re", Message("too many arguments in function call")},
    {R"re(too many initializer values)re", Message("too many initializer values")},
    {R"re(no instance of overloaded function "(.*)" matches the argument list)re",
     Message("no instance of overloaded function \"{0}\" matches the argument list")},
    {R"re(return value type does not match the function type)re",
     Message("return value type does not match the function type")},
    {R"re(a break statement may only be used within a loop or switch)re",
     Message("a break statement may only be used within a loop or switch")},
    {R"re(name followed by "::" must be a class or namespace name)re",
     Message("name followed by \"::\" must be a class or namespace name")},
    {R"re(name must be a namespace name)re", Message("name must be a namespace name")},
    {R"re(initializer not allowed for __shared__ variable ?)re",
     Message("initializer not allowed for __shared__ variable")},
};

class LogParser {
 public:
  std::vector<Diagnostic> run(const std::string& log) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      read(line);
    }
    finish();
    return std::move(diagnostics_);
  }

 private:
  void read(const std::string& line) {
    if (std::optional<Diagnostic> begun = header(line)) {
      finish();
      current_ = std::move(begun);
    } else if (line.empty() || !current_) {
      finish();
    } else if (is_caret(line)) {
      // The previous line shows the source; the lines before that belong to the message.
      if (!more_.empty()) {
        more_.pop_back();
      }
      const std::size_t caret = line.find('^');
      current_->column = caret < kIndent ? 1 : static_cast<int>(caret - kIndent) + 1;
    } else {
      more_.push_back(line);
    }
  }

  std::optional<Diagnostic> header(const std::string& line) {
    Diagnostic found;
    std::string severity;
    if (RE2::FullMatch(line, placed_, &found.file, &found.line, &severity, &found.message)) {
      found.severity = severity_of(severity);
      return found;
    }
    std::string speaker;
    std::string message;
    if (RE2::FullMatch(line, unplaced_, &speaker, &severity, &message)) {
      found.severity = severity_of(severity);
      found.message = fmt::format("{}: {}", speaker, message);
      return found;
    }
    return std::nullopt;
  }

  static bool is_caret(const std::string& line) {
    return line.find('^') != std::string::npos &&
           line.find_first_not_of(" \t^~") == std::string::npos;
  }

  void finish() {
    if (current_) {
      for (const std::string& line : more_) {
        const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
        current_->message += "\n" + line.substr(first, line.find_last_not_of(' ') + 1 - first);
      }
      diagnostics_.push_back(std::move(*current_));
    }
    current_.reset();
    more_.clear();
  }

  // tiled.cu(12): error: …   tiled.cu(3): warning #177-D: …   x.cu(4): catastrophic error: …
  const RE2 placed_{
      R"((\S.*)\((\d{1,9})\): (?:catastrophic |internal )?(error|warning|remark|note)(?: #\d+(?:-D)?)?: (.*))",
      RE2::Latin1};
  // At end of source: error: …   nvrtc: error: …   Command-line error: …
  // ptxas error   : …   ptxas application ptx input, line 188; error   : …
  const RE2 unplaced_{
      R"((At end of source|nvrtc|Command-line|ptxas)(?::)? (?:application ptx input, line \d+; )?(?:catastrophic |internal )?(error|fatal|warning) *(?: #\d+(?:-D)?)?: (.*))",
      RE2::Latin1};
  std::vector<Diagnostic> diagnostics_;
  std::optional<Diagnostic> current_;
  std::vector<std::string> more_;
};

// A name with C linkage is returned unchanged.
std::string demangled(const std::string& lowered) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(lowered.c_str(), nullptr, nullptr, &status), &std::free);
  return lowered.starts_with("_Z") && text != nullptr ? text.get() : lowered;
}

// File and line at which a text of the kernel includes a header.
std::pair<std::string, int> place_of_include(const Request& request, const std::string& header) {
  const auto line_in = [&header](const std::string& text) {
    const std::vector<problem::Included> all = problem::includes_of(text);
    const auto one = std::ranges::find(all, header, &problem::Included::name);
    return one == all.end() ? 0 : one->line;
  };
  if (const int line = line_in(request.source); line != 0) {
    return {request.source_name, line};
  }
  for (const auto& [name, text] : request.headers) {
    if (const int line = line_in(text); line != 0) {
      return {name, line};
    }
  }
  return {request.source_name, 0};
}

// The compiler's sentence in the current language; English, or an unknown sentence: itself.
std::string translated(const std::string& message) {
  for (const Sentence& sentence : kSentences) {
    std::string name;
    std::string other;
    const RE2 form(sentence.form, RE2::Latin1);
    const RE2::Arg names[] = {&name, &other};
    const RE2::Arg* const all[] = {&names[0], &names[1]};
    if (RE2::FullMatchN(message, form, all, form.NumberOfCapturingGroups())) {
      return fmt::format(fmt::runtime(sentence.words.text()), name, other);
    }
  }
  return message;
}

// "cuda::pipeline" at a place of the text; empty: no name is there.
std::string name_at(const std::string& source, const Diagnostic& at) {
  std::istringstream lines(source);
  std::string line;
  for (int i = 0; i < at.line && std::getline(lines, line); ++i) {
  }
  std::string name;
  const std::size_t begin = static_cast<std::size_t>(std::max(at.column, 1)) - 1;
  static const RE2 first(R"re(^(\w+(?:\s*::\s*\w+)?))re", RE2::Latin1);
  RE2::PartialMatch(begin < line.size() ? line.substr(begin) : "", first, &name);
  std::erase(name, ' ');
  return name;
}

// The name that an error does not know; empty: the error is another one.
std::string unknown_name(const Diagnostic& error, const Request& request) {
  static const RE2 undefined(R"re(^identifier "(\w+)" is undefined)re", RE2::Latin1);
  static const RE2 of_namespace(R"re(^name (followed by "::" )?must be a .*namespace name)re",
                                RE2::Latin1);
  std::string name;
  if (RE2::PartialMatch(error.message, undefined, &name)) {
    return name;
  }
  return RE2::PartialMatch(error.message, of_namespace) && error.file == request.source_name
             ? name_at(request.source, error)
             : "";
}

// The header that declares a name; null: none, or the text includes it.
const char* header_of(const std::string& name, const Request& request) {
  const std::string space = name.substr(0, name.find(':'));
  for (const DeclaredIn& one : kDeclaredIn) {
    const RE2 names(one.names, RE2::Latin1);
    if (!name.empty() && (RE2::FullMatch(name, names) || RE2::FullMatch(space, names))) {
      return place_of_include(request, one.header).second == 0 ? one.header : nullptr;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<Diagnostic> parse_diagnostics(const std::string& log) {
  return LogParser().run(log);
}

std::vector<Diagnostic> explain_entry(std::vector<Diagnostic> diagnostics, const Request& request) {
  const auto about_entry = [](const Diagnostic& d) { return d.file == kNameFile; };
  const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), about_entry);
  if (first == diagnostics.end()) {
    return diagnostics;
  }
  Diagnostic entry;
  entry.file = request.source_name;
  entry.message =
      tr("the entry \"{}\" does not name exactly one kernel of {}: {}. Check `entry` in the launch "
         "description, or the kernel's name and template parameters.",
         request.name_expression, request.source_name, first->message);
  diagnostics.erase(std::remove_if(diagnostics.begin(), diagnostics.end(), about_entry),
                    diagnostics.end());
  diagnostics.push_back(std::move(entry));
  return diagnostics;
}

std::vector<Diagnostic> explain_not_simulated(std::vector<Diagnostic> diagnostics) {
  for (const NotSimulated& what : kNotSimulated) {
    const RE2 message(what.message, RE2::Latin1);
    const auto is_about = [&](const Diagnostic& d) {
      return d.severity == Severity::Error && RE2::PartialMatch(d.message, message);
    };
    const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_about);
    if (first == diagnostics.end()) {
      continue;
    }
    Diagnostic one = *first;
    one.message = what.sentence.text();
    std::erase_if(diagnostics, [](const Diagnostic& d) { return d.severity != Severity::Warning; });
    diagnostics.push_back(std::move(one));
    return diagnostics;
  }
  return diagnostics;
}

std::vector<Diagnostic> explain_missing(std::vector<Diagnostic> diagnostics,
                                        const Request& request) {
  static const RE2 missing(R"re(#warning directive: "(.*)")re", RE2::Latin1);
  for (Diagnostic& d : diagnostics) {
    std::string name;
    if (!RE2::PartialMatch(d.message, missing, &name)) {
      continue;
    }
    const std::size_t end = name.find(kMissingHeader);
    if (end == std::string::npos || end == 0) {
      continue;
    }
    name.resize(end - 1);
    const auto [file, line] = place_of_include(request, d.file);
    d = {Severity::Warning, file, line, 0,
         tr("{} is neither in the kernel's folder nor in an include folder. Give its folder: "
            "--include FOLDER, or `include` in the description. Compiled without it.",
            name)};
    d.lacks_header = true;
  }
  const bool has_error = std::any_of(diagnostics.begin(), diagnostics.end(),
                                     [](const auto& d) { return d.severity == Severity::Error; });
  for (const problem::Included& one : request.left_out) {
    if (has_error) {
      diagnostics.push_back({Severity::Warning, request.source_name, one.line, 0,
                             tr("{} is not in any include folder. Give its folder: --include "
                                "FOLDER, or `include` in the description.",
                                one.name)});
      diagnostics.back().lacks_header = true;
    }
  }
  std::stable_partition(diagnostics.begin(), diagnostics.end(), names_missing_header);
  return diagnostics;
}

std::vector<Diagnostic> explain_syntax(std::vector<Diagnostic> diagnostics,
                                       const Request& request) {
  static const RE2 of_syntax(R"re(expected |unrecognized token|end of source|closing brace)re",
                             RE2::Latin1);
  static const RE2 expected(R"re(^expected an? "([;(){}\[\]])"$)re", RE2::Latin1);
  const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::Error; };
  const auto first = std::ranges::find_if(diagnostics, is_error);
  // In a template, the first error is the compiler's reading of the rest.
  const bool is_of_syntax = std::ranges::any_of(diagnostics, [&](const Diagnostic& d) {
    return is_error(d) && RE2::PartialMatch(d.message, of_syntax);
  });
  if (!is_of_syntax || (!first->file.empty() && first->file != request.source_name)) {
    return diagnostics;
  }
  std::optional<problem::SyntaxMistake> cause = problem::bracket_mistake(request.source);
  std::string sign;
  const bool is_earlier = cause && (first->line == 0 || cause->at.line <= first->line);
  if (!is_earlier && RE2::PartialMatch(first->message, expected, &sign)) {
    cause = problem::missing_sign(request.source, {first->line, first->column}, sign);
    diagnostics.erase(cause ? first : diagnostics.end(), cause ? first + 1 : diagnostics.end());
  }
  if (!cause) {
    return diagnostics;
  }
  for (Diagnostic& d : diagnostics) {
    d.follows = d.severity != Severity::Warning;
  }
  diagnostics.insert(diagnostics.begin(), {Severity::Error, request.source_name, cause->at.line,
                                           cause->at.column, std::move(cause->sentence)});
  return diagnostics;
}

std::vector<Diagnostic> explain_names(std::vector<Diagnostic> diagnostics, const Request& request) {
  for (Diagnostic& d : diagnostics) {
    if (d.severity != Severity::Error) {
      continue;
    }
    const std::string name = unknown_name(d, request);
    const char* const header = header_of(name, request);
    const std::size_t end = std::min(d.message.find('\n'), d.message.size());
    std::string first = translated(d.message.substr(0, end));
    if (header != nullptr) {
      first = tr("{0}. The header {2} declares {1}: write #include <{2}> at the top.", first, name,
                 header);
    }
    d.message.replace(0, end, first);
  }
  return diagnostics;
}

bool names_missing_header(const Diagnostic& diagnostic) {
  return diagnostic.lacks_header || diagnostic.message.find(kMissingHeader) != std::string::npos;
}

std::optional<Diagnostic> dropped_arguments(const std::string& lowered, const Request& request) {
  const std::string& expression = request.name_expression;
  const std::size_t arguments = expression.find('<');
  if (arguments == std::string::npos || arguments == 0) {
    return std::nullopt;
  }
  const std::size_t end = expression.find_last_not_of(' ', arguments - 1) + 1;
  const std::size_t begin = expression.find_last_of(": ", end - 1) + 1;
  const std::string name = expression.substr(begin, end - begin);
  if (demangled(lowered).find(name + "<") != std::string::npos) {
    return std::nullopt;
  }
  Diagnostic entry;
  entry.file = request.source_name;
  entry.message =
      tr("the entry \"{}\" has template arguments, but {} is not a template. Write entry = \"{}\".",
         expression, name, expression.substr(0, end));
  return entry;
}

}  // namespace tilestep::compile
