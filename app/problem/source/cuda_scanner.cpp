#include "problem/source/cuda_scanner.h"

#include <string>

namespace tilestep::problem {
namespace {

bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) {}

  CudaWords scan() {
    CudaWords text;
    std::vector<CudaWord>* words = &text.code;
    bool line_is_empty = true;  // so far: only there a '#' starts a directive
    while (place_ < source_.size()) {
      char c = source_[place_];
      if (c == '\n') {
        words = &text.code;
        line_is_empty = true;
        ++place_;
      } else if (!skip_blank()) {
        if (c == '#' && line_is_empty) {
          text.directives.emplace_back();
          words = &text.directives.back();
          ++place_;
        } else {
          take_word(*words);
        }
        line_is_empty = false;
      }
    }
    return text;
  }

 private:
  [[nodiscard]] char at(std::size_t place) const {
    return place < source_.size() ? source_[place] : '\0';
  }

  // Blanks, spliced line ends, comments. A block comment inside a directive may span lines; the
  // directive goes on after it, as the standard has it.
  bool skip_blank() {
    char c = at(place_);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++place_;
      return true;
    }
    if (c == '\\' && at(place_ + 1) == '\n') {
      place_ += 2;
      return true;
    }
    if (c == '\\' && at(place_ + 1) == '\r' && at(place_ + 2) == '\n') {
      place_ += 3;
      return true;
    }
    if (c == '/' && at(place_ + 1) == '/') {
      while (place_ < source_.size() && source_[place_] != '\n') {
        place_ += source_[place_] == '\\' ? 2 : 1;
      }
      return true;
    }
    if (c == '/' && at(place_ + 1) == '*') {
      std::size_t end = source_.find("*/", place_ + 2);
      place_ = end == std::string_view::npos ? source_.size() : end + 2;
      return true;
    }
    return false;
  }

  void take_word(std::vector<CudaWord>& words) {
    std::size_t begin = place_;
    char c = source_[place_];
    if (c == '"' || c == '\'') {
      skip_quoted(c);
      return;
    }
    if (starts_identifier(c)) {
      while (starts_identifier(at(place_)) || is_digit(at(place_))) {
        ++place_;
      }
      std::string_view word = source_.substr(begin, place_ - begin);
      if (at(place_) == '"' && word.ends_with('R') && word.size() <= 3) {
        skip_raw_string();
        return;
      }
    } else if (is_digit(c)) {
      // A digit separator is part of a number, not the start of a character constant.
      while (starts_identifier(at(place_)) || is_digit(at(place_)) || at(place_) == '.' ||
             (at(place_) == '\'' && starts_identifier_or_digit(at(place_ + 1)))) {
        ++place_;
      }
    } else {
      ++place_;
    }
    words.push_back({source_.substr(begin, place_ - begin), static_cast<std::uint32_t>(begin)});
  }

  static bool starts_identifier_or_digit(char c) { return starts_identifier(c) || is_digit(c); }

  // Ends at the line's end when the closing quote is missing, as a compiler would.
  void skip_quoted(char quote) {
    ++place_;
    while (place_ < source_.size() && source_[place_] != quote && source_[place_] != '\n') {
      place_ += source_[place_] == '\\' ? 2 : 1;
    }
    if (at(place_) == quote) {
      ++place_;
    }
  }

  void skip_raw_string() {  // R"delimiter( … )delimiter"
    std::size_t open = source_.find('(', place_);
    if (open == std::string_view::npos) {
      place_ = source_.size();
      return;
    }
    std::string close = ")" + std::string(source_.substr(place_ + 1, open - place_ - 1)) + "\"";
    std::size_t end = source_.find(close, open);
    place_ = end == std::string_view::npos ? source_.size() : end + close.size();
  }

  std::string_view source_;
  std::size_t place_ = 0;
};

}  // namespace

CudaWords scan_cuda(std::string_view source) {
  return Scanner(source).scan();
}

bool is_identifier(std::string_view word) {
  return !word.empty() && starts_identifier(word[0]);
}

}  // namespace tilestep::problem
