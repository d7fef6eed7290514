#include "problem/base64.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tilestep::problem {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kBytes = 3;   // are
constexpr std::size_t kDigits = 4;  // letters
constexpr unsigned kBitsOfByte = 8;
constexpr unsigned kBitsOfDigit = 6;
constexpr std::uint32_t kByte = 0xFF;
constexpr std::uint32_t kDigit = 0x3F;
constexpr char kFill = '=';

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += kBytes) {
    const std::size_t count = std::min(kBytes, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kBytes; ++i) {
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
      for (std::size_t i = 0; i < kBytes; ++i) {
        bytes += static_cast<char>((bits >> (kBitsOfByte * (kBytes - 1 - i))) & kByte);
      }
    }
  }
  if (letters % kDigits != 0 || fills >= kBytes) {
    return std::nullopt;
  }
  bytes.resize(bytes.size() - fills);
  return bytes;
}

}  // namespace tilestep::problem
