// Where a text that does not compile lacks a bracket or a semicolon: the true cause, which
// compilers tell of lines further down, or of the end of the file. Works on words and indentation;
// text that compiles is none of its business.
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

struct SyntaxMistake {
  TextPlace at;  // where it is missing: behind the last word before it
  std::string sentence;

  friend bool operator==(const SyntaxMistake&, const SyntaxMistake&) = default;
};

// The first bracket that has no partner. Of braces, indentation tells which one it is: where the
// text goes back to the indentation of a statement whose brace is open, a '}' is missing. Nothing
// where all have one, and where branches of #if have brackets of their own.
[[nodiscard]] std::optional<SyntaxMistake> bracket_mistake(std::string_view source);

// A sign that the compiler expected at `found`: missing behind the word before that. Nothing where
// there is no word before it.
[[nodiscard]] std::optional<SyntaxMistake> missing_sign(std::string_view source, TextPlace found,
                                                        std::string_view sign);

// Barriers of a CUDA C++ text, switched off and on by comments: no line moves, and whoever reads
// the text sees what was done.
enum class BarrierLine {
  None,
  On,   // "__syncthreads();", "__syncwarp(mask);", "tile.sync();"
  Off,  // "// off: __syncthreads();", as toggle_barrier() writes it, or "// missing: …"
};
[[nodiscard]] BarrierLine barrier_of(std::string_view line);

// The text with the barrier of that line (1-based) off where it was on, and on where it was off.
// Nothing where the line has none.
[[nodiscard]] std::optional<std::string> toggle_barrier(std::string_view text, int line);
// The first line with a barrier that is on, at or after `from`; 0: there is none.
[[nodiscard]] int next_barrier_line(std::string_view text, int from);

}  // namespace tilestep::problem
