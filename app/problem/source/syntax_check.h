// Finds the missing bracket or semicolon of a text that does not compile; compilers report it on
// later lines or at the end of the file. Works on words and indentation. Not for text that
// compiles.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilestep::problem {

// A place in a text, 1-based; columns in bytes.
struct TextPlace {
  int line = 0;
  int column = 0;

  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

// A missing bracket or sign.
struct SyntaxMistake {
  TextPlace at;  // where it is missing: after the previous word
  std::string sentence;

  friend bool operator==(const SyntaxMistake&, const SyntaxMistake&) = default;
};

// The first bracket without a partner. For braces, indentation decides: a '}' is missing where the
// text returns to the indentation of a statement whose brace is open. Nullopt if all have partners,
// or if branches of #if have brackets of their own.
[[nodiscard]] std::optional<SyntaxMistake> bracket_mistake(std::string_view source);

// A sign that the compiler expected at `found`: it is missing after the previous word. Nullopt if
// there is no previous word.
[[nodiscard]] std::optional<SyntaxMistake> missing_sign(std::string_view source, TextPlace found,
                                                        std::string_view sign);

// Barriers of a CUDA C++ text, switched off and on by comments: line numbers do not change, and the
// text shows what was done.
enum class BarrierLine {
  None,
  On,   // "__syncthreads();", "__syncwarp(mask);", "tile.sync();"
  Off,  // "// off: __syncthreads();", as toggle_barrier() writes it, or "// missing: …"
};
[[nodiscard]] BarrierLine barrier_of(std::string_view line);

// The text with the barrier of that line (1-based) toggled. Nullopt if the line has none.
[[nodiscard]] std::optional<std::string> toggle_barrier(std::string_view text, int line);
// The first line at or after `from` with an active barrier; 0: none.
[[nodiscard]] int next_barrier_line(std::string_view text, int from);

}  // namespace tilestep::problem
