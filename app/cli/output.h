// Output of subcommands: tables, sentences, JSON, a line of progress.
#pragma once

#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tilestep::cli {

// Columns as wide as their widest entry; the first is left-aligned, the others right-aligned. A
// last column of sentences is left-aligned and widens nothing.
class Table {
 public:
  enum class Last { Number, Sentence };

  explicit Table(std::vector<std::string> head, Last last = Last::Number)
      : rows_{std::move(head)}, last_(last) {}
  // As many cells as the head has.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  Last last_;
};

// Output of subcommands for people.

// Prints to standard output in the current language, without control characters: names and source
// lines are a file's bytes. JSON and our own files are printed unchanged.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  fmt::print("{}",
             printable(tr_detail::finished(fmt::vformat(
                 tr_detail::translated(tr_detail::view(format)), fmt::make_format_args(args...)))));
}

// `--out -`, as in other tools.
[[nodiscard]] inline bool is_standard_output(std::string_view path) {
  return path == "-";
}

// Paths and names may contain invalid UTF-8, which is replaced instead of causing an exception.
template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// A progress line of a long run on a terminal; no output if stderr is not a terminal.
class ProgressLine {
 public:
  // "check: 120 of 4096 blocks, 25 s left" (from the pace so far), after one second; "check: 0 of 1
  // blocks, 3 s so far"; with a total of 0 "describe, 3 s so far".
  ProgressLine(std::string what, std::uint32_t total, std::string unit = tr("blocks"));

  [[nodiscard]] std::atomic<std::uint32_t>& done() { return done_; }

 private:
  void draw(const std::stop_token& end);

  std::string what_;
  std::string unit_;
  std::uint32_t total_;
  std::atomic<std::uint32_t> done_ = 0;
  std::jthread drawer_;  // last: it must end before what it reads
};

// Standard input, output and error, as every subcommand needs them.

// Call this first. If the caller closed a stream, no file of ours may get its number, because
// output would be written to that file.
void occupy_closed_streams();

// Call this last, with the program's exit status, and errno of a failed print, if known. Flushes
// the output; if that fails, reports it on standard error and returns the status of wrong use. A
// reader that ended early (`| head`) is not an error.
[[nodiscard]] int finish_output(int status, int failed_print = 0);

}  // namespace tilestep::cli
