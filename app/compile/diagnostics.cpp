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
