#include "ptx/model/names.h"

#include <charconv>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace tilestep::ptx {
namespace {

constexpr std::size_t kMaxSymbol = 8192;  // no real one is longer

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// `_0` … `_9`, `__10_`, …: Itanium C++ ABI, section 5.1.6 <discriminator>. Removes it and returns
// the number of earlier declarations of the name; 0 if there is none.
std::uint32_t take_discriminator(std::string_view& symbol) {
  std::size_t size = symbol.size();
  if (size > 2 && symbol[size - 2] == '_' && is_digit(symbol[size - 1]) &&
      symbol[size - 3] != '_') {
    auto number = static_cast<std::uint32_t>(symbol[size - 1] - '0');
    symbol.remove_suffix(2);
    return number + 1;
  }
  if (size > 4 && symbol.back() == '_') {
    std::size_t digits = size - 1;
    while (digits > 0 && is_digit(symbol[digits - 1])) {
      --digits;
    }
    std::uint32_t number = 0;
    bool has_digits = digits < size - 1;
    if (has_digits && digits >= 2 && symbol.substr(digits - 2, 2) == "__" &&
        std::from_chars(symbol.data() + digits, symbol.data() + size - 1, number).ec ==
            std::errc{}) {
      symbol.remove_suffix(size - digits + 2);
      return number + 1;
    }
  }
  return 0;
}

// Splits `<function>E<length><name>` at the E that agrees with the demangler.
std::optional<LocalName> split(std::string_view symbol) {
  for (std::size_t place = symbol.rfind('E'); place != std::string_view::npos && place > 3;
       place = symbol.rfind('E', place - 1)) {
    const char* begin = symbol.data() + place + 1;
    const char* end = symbol.data() + symbol.size();
    std::size_t length = 0;
    auto [rest, error] = std::from_chars(begin, end, length);
    if (error != std::errc{} || static_cast<std::size_t>(end - rest) != length || length == 0) {
      continue;
    }
    std::string name(rest, length);
    std::string whole = demangle(symbol);
    if (!whole.ends_with("::" + name)) {
      continue;
    }
    std::string_view encoding = symbol.substr(3, place - 3);
    // extern "C" and other unmangled functions are encoded as a plain <source-name>.
    std::size_t plain = 0;
    auto [name_begin, ec] =
        std::from_chars(encoding.data(), encoding.data() + encoding.size(), plain);
    bool is_plain = ec == std::errc{} && name_begin + plain == encoding.data() + encoding.size();
    return LocalName{is_plain ? std::string(name_begin, plain) : "_Z" + std::string(encoding),
                     std::move(name), 0};
  }
  return std::nullopt;
}

}  // namespace

std::string demangle(std::string_view symbol) {
  std::string text(symbol);
  if (!symbol.starts_with("_Z") || symbol.size() > kMaxSymbol) {
    return text;
  }
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> result(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && result != nullptr ? std::string(result.get()) : text;
}

std::string_view last_component(std::string_view demangled) {
  int depth = 0;
  for (std::size_t i = demangled.size(); i-- > 0;) {
    char c = demangled[i];
    if (c == ')' || c == '>' || c == '}' || c == ']') {
      ++depth;
    } else if (c == '(' || c == '<' || c == '{' || c == '[') {
      --depth;
    } else if (c == ':' && depth == 0 && i > 0 && demangled[i - 1] == ':') {
      return demangled.substr(i + 1);
    }
  }
  return demangled;
}

SymbolPiece split_piece(std::string_view symbol) {
  constexpr std::string_view kMark = "_$_";
  SymbolPiece piece{symbol, {}};
  for (;;) {
    const std::size_t mark = piece.whole.rfind(kMark);
    const char* const end = piece.whole.data() + piece.whole.size();
    std::uint32_t number = 0;
    if (mark == std::string_view::npos || mark == 0) {
      return piece;
    }
    const char* const digits = piece.whole.data() + mark + kMark.size();
    const auto [rest, error] = std::from_chars(digits, end, number);
    if (error != std::errc{} || rest != end) {
      return piece;
    }
    piece.path.insert(piece.path.begin(), number);
    piece.whole.remove_suffix(piece.whole.size() - mark);
  }
}

std::optional<LocalName> parse_local_name(std::string_view symbol) {
  symbol = split_piece(symbol).whole;
  if (!symbol.starts_with("_ZZ")) {
    return std::nullopt;
  }
  // A name may itself end like a discriminator ("E4As_0"), so the whole is tried first.
  if (std::optional<LocalName> whole = split(symbol)) {
    return whole;
  }
  std::uint32_t discriminator = take_discriminator(symbol);
  std::optional<LocalName> result = discriminator == 0 ? std::nullopt : split(symbol);
  if (result) {
    result->discriminator = discriminator;
  }
  return result;
}

}  // namespace tilestep::ptx
