// What a subcommand prints for people.
#pragma once

#include "problem/printable.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace tilestep::cli {

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

}  // namespace tilestep::cli
