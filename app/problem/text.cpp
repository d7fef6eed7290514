#include "problem/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_name_part(text[at - 1])) &&
        (end == text.size() || !is_name_part(text[end]))) {
      return true;
    }
  }
  return false;
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto end = std::find_if(text.begin(), text.end(), is_control);
    const auto plain = static_cast<std::size_t>(end - text.begin());
    for (const char c : printable(text.substr(0, plain))) {
      out.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
    }
    if (plain < text.size()) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(text[plain]));
    }
    text.remove_prefix(std::min(plain + 1, text.size()));
  }
  return out + '"';
}

std::string toml_key(std::string_view name) {
  const bool is_plain = !name.empty() && std::all_of(name.begin(), name.end(), is_bare);
  return is_plain ? std::string(name) : toml_quoted(name);
}

std::string printable(std::string_view text) {
  constexpr std::string_view kKept = "\n\t\"\\";  // escaped by fmt, but unnecessarily
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kKept), text.size());
    const std::string quoted = fmt::format("{:?}", text.substr(0, end));
    out.append(quoted, 1, quoted.size() - 2);
    out.append(text.substr(end, 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kShown = 80;
  if (text.size() <= kShown) {
    return std::string(text);
  }
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;  // not inside a character
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace tilestep

namespace tilestep::problem {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kBytesOfGroup = 3;  // encode as
constexpr std::size_t kDigits = 4;        // letters
constexpr unsigned kBitsOfByte = 8;
constexpr unsigned kBitsOfDigit = 6;
constexpr std::uint32_t kByte = 0xFF;
constexpr std::uint32_t kDigit = 0x3F;
constexpr char kFill = '=';

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += kBytesOfGroup) {
    const std::size_t count = std::min(kBytesOfGroup, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kBytesOfGroup; ++i) {
      const auto byte = i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U;
      bits = (bits << kBitsOfByte) | byte;
    }
    for (std::size_t i = 0; i < kDigits; ++i) {
      const auto digit = (bits >> (kBitsOfDigit * (kDigits - 1 - i))) & kDigit;
      text += i <= count ? kLetters[digit] : kFill;
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  std::size_t letters = 0;
  std::size_t fills = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      continue;
    }
    const std::size_t digit = kLetters.find(c);
    const bool is_fill = c == kFill;
    if ((digit == std::string_view::npos && !is_fill) || (fills > 0 && !is_fill)) {
      return std::nullopt;
    }
    fills += is_fill ? 1 : 0;
    bits = (bits << kBitsOfDigit) | (is_fill ? 0U : static_cast<std::uint32_t>(digit));
    if (++letters % kDigits == 0) {
      for (std::size_t i = 0; i < kBytesOfGroup; ++i) {
        bytes += static_cast<char>((bits >> (kBitsOfByte * (kBytesOfGroup - 1 - i))) & kByte);
      }
    }
  }
  if (letters % kDigits != 0 || fills >= kBytesOfGroup) {
    return std::nullopt;
  }
  bytes.resize(bytes.size() - fills);
  return bytes;
}

}  // namespace tilestep::problem
