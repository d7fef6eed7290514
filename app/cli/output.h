// What subcommands print: tables, sentences, JSON, a line of progress.
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

// Columns as wide as their widest entry; the first stands left, the others right. A last column of
// sentences stands left too, and widens nothing.
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

// What a subcommand prints for people.

// To standard output, in the language that is spoken, without what a terminal would obey: names and
// source lines are a file's bytes. JSON and files of ours that go there are printed as they are.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  fmt::print("{}",
             printable(tr_detail::finished(fmt::vformat(
                 tr_detail::translated(tr_detail::view(format)), fmt::make_format_args(args...)))));
}

// `--out -`, as other tools have it.
[[nodiscard]] inline bool is_standard_output(std::string_view path) {
  return path == "-";
}

// Paths and names may have bytes that are no UTF-8: these are replaced, not thrown at.
template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// One line on a terminal that says how far a long run is; nothing where stderr is no terminal.
class ProgressLine {
 public:
  // "check: 120 of 4096 blocks, 25 s left" (by the pace so far), from a second on; "check: 0 of 1
  // blocks, 3 s so far"; with a total of 0 "describe, 3 s so far".
  ProgressLine(std::string what, std::uint32_t total, std::string unit = tr("blocks"));

  [[nodiscard]] std::atomic<std::uint32_t>& done() { return done_; }

 private:
  void draw(const std::stop_token& end);

  std::string what_;
  std::string unit_;
  std::uint32_t total_;
  std::atomic<std::uint32_t> done_ = 0;
  std::jthread drawer_;  // last: it ends before what it reads
};

// Standard input, output and error, as every subcommand needs them.

// Called first. Where the caller closed a stream, no file of ours must get its number: output would
// be written into that file.
void occupy_closed_streams();

// Called last, with the status that the program would end with, and errno of a print that failed,
// if it is known. What was printed reaches its reader, or a sentence on standard error says why
// not, and the status is that of wrong use. A reader that ended first (`| head`) is no mistake.
[[nodiscard]] int finish_output(int status, int failed_print = 0);

}  // namespace tilestep::cli
