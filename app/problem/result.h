// Result: how every room reports wrong user input.
//
// Wrong user input is a returned value; a broken invariant asserts; CUDA, GL and OS failures throw
// an exception that owns its text. A message is a sentence that names the place, the cause and the
// cure, in that order.
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <utility>

namespace tilestep {

struct Error {
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = tl::expected<T, Error>;

// `return fail("my.toml:3: …");`
[[nodiscard]] inline tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace tilestep

// Returns the error of a Result that has one: `TILESTEP_RETURN_IF_ERROR(catalog);`.
#define TILESTEP_RETURN_IF_ERROR(result)                          \
  if (const auto& tilestep_result = (result); !tilestep_result) { \
    return tl::unexpected(tilestep_result.error());               \
  }
