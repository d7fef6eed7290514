#include "ui/stage/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

constexpr double kTooLong = 1e7;  // whole numbers from here on are shown by their power of ten
constexpr int kLongestFraction = 6;
constexpr int kLeastFraction = 3;

bool is_whole(double value) {
  return value == std::trunc(value) && std::abs(value) < kTooLong;
}

// Characters of a whole number, without printing it: thousands of cells ask in every frame.
int whole_size(double value) {
  int size = std::signbit(value) ? 2 : 1;
  for (double rest = std::abs(value); rest >= 10.0; rest /= 10.0) {
    ++size;
  }
  return size;
}

// "0.25" → ".25", "1e+09" → "1e9", "1e-05" → "1e-5": what every reader fills in.
std::string squeezed(std::string text) {
  const std::size_t e = text.find('e');
  if (e != std::string::npos) {
    std::size_t digit = e + 2;
    while (digit + 1 < text.size() && text[digit] == '0') {
      text.erase(digit, 1);
    }
    if (text[e + 1] == '+') {
      text.erase(e + 1, 1);
    }
  }
  const std::size_t zero = text.find("0.");
  if (zero == 0 || (zero == 1 && text[0] == '-')) {
    text.erase(zero, 1);
  }
  return text;
}

}  // namespace

std::string short_number(double value, int max_chars) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  if (is_whole(value) && whole_size(value) <= max_chars) {
    return fmt::format("{:.0f}", value);
  }
  const auto room = static_cast<std::size_t>(max_chars);
  for (int precision = 7; precision >= 1; --precision) {
    const std::string plain = fmt::format("{:.{}g}", value, precision);
    std::string tight = squeezed(plain);
    if (plain.size() <= room && plain.find('e') == std::string::npos) {
      return plain;
    }
    if (tight.size() <= room) {
      return tight;
    }
    // A whole number that lost digits would look like another number.
    if (is_whole(value)) {
      for (int digits = precision - 1; digits >= 0; --digits) {
        tight = squeezed(fmt::format("{:.{}e}", value, digits));
        if (tight.size() <= room) {
          return tight;
        }
      }
      return "#";
    }
  }
  return "#";
}

NumberRoom number_room(double value) {
  if (is_whole(value)) {
    const int size = whole_size(value);
    return {size, size};
  }
  const int size = static_cast<int>(short_number(value, kLongestFraction).size());
  return {size, std::min(size, kLeastFraction)};
}

std::string full_number(double value) {
  const auto narrow = static_cast<float>(value);
  if (std::isnan(value)) {
    return "nan";
  }
  return with_minus(static_cast<double>(narrow) == value ? fmt::format("{}", narrow)
                                                         : fmt::format("{}", value));
}

std::string factor_number(double value) {
  return std::signbit(value) && !std::isnan(value) ? fmt::format("({})", full_number(value))
                                                   : full_number(value);
}

std::string with_minus(const std::string& number) {
  std::string text;
  for (const char c : number) {
    text += c == '-' ? std::string("−") : std::string(1, c);
  }
  return text;
}

}  // namespace tilestep::ui
