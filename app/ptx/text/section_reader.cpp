#include "ptx/text/section_reader.h"

#include "problem/tr.h"
#include "ptx/text/constant.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tilestep::ptx {
namespace {

// Bytes of one `.b8`, `.b16`, `.b32`, `.b64` item; 0: another word.
std::uint32_t item_bytes(std::string_view word) {
  if (word == ".b8") {
    return 1;
  }
  if (word == ".b16") {
    return 2;
  }
  if (word == ".b32") {
    return 4;
  }
  return word == ".b64" ? 8 : 0;
}

// `.b32 $L__end-$L__start`: known once all labels of the section are.
struct Difference {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::string_view end;
  std::string_view start;
  std::uint32_t line = 0;
};

class SectionReader {
 public:
  explicit SectionReader(Lexer& lexer) : lexer_(lexer) {}

  Section read() {
    section_.text_line = lexer_.peek().line;
    section_.name = lexer_.expect_word("the name of a section").text;
    lexer_.expect('{', "after the name of a section");
    while (!lexer_.at_end() && !lexer_.peek().is('}')) {
      read_line();
    }
    lexer_.expect('}', "at the end of a section");
    std::for_each(differences_.begin(), differences_.end(),
                  [this](const Difference& difference) { resolve(difference); });
    return std::move(section_);
  }

 private:
  [[nodiscard]] std::uint32_t offset() const {
    return static_cast<std::uint32_t>(section_.bytes.size());
  }

  void read_line() {
    const Token word = lexer_.expect_word("data (.b8, .b32, .b64) or a label in a section");
    const std::uint32_t bytes = item_bytes(word.text);
    if (bytes == 0) {
      section_.labels.emplace_back(word.text, offset());
      lexer_.expect(':', "after a label in a section");
      return;
    }
    do {
      read_item(bytes);
    } while (lexer_.accept(','));
  }

  void read_item(std::uint32_t bytes) {
    std::uint64_t number = 0;
    if (lexer_.accept_number(number)) {
      append(number, bytes);
    } else if (lexer_.peek().kind == TokenKind::Word) {
      read_symbol(bytes);
    } else {
      append(static_cast<std::uint64_t>(read_constant_expression(lexer_).bits), bytes);
    }
  }

  void read_symbol(std::uint32_t bytes) {
    SectionReference reference{offset(), bytes, lexer_.take().text, 0};
    append(0, bytes);
    if (lexer_.accept('-')) {
      if (lexer_.peek().kind == TokenKind::Word) {
        const Token start = lexer_.take();
        differences_.push_back({reference.offset, bytes, reference.symbol, start.text, start.line});
        return;
      }
      reference.addend = -read_constant_expression(lexer_).bits;
    } else if (lexer_.accept('+')) {
      reference.addend = read_constant_expression(lexer_).bits;
    }
    section_.references.push_back(reference);
  }

  void append(std::uint64_t value, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) {
      section_.bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> find_label(std::string_view name) const {
    for (const auto& [label, place] : section_.labels) {
      if (label == name) {
        return place;
      }
    }
    return std::nullopt;
  }

  void resolve(const Difference& difference) {
    const auto end = find_label(difference.end);
    const auto start = find_label(difference.start);
    if (!end || !start) {
      lexer_.error(difference.line, tr("'{}-{}' is no distance within this section.",
                                       difference.end, difference.start));
      return;
    }
    for (std::uint32_t i = 0; i < difference.bytes; ++i) {
      section_.bytes[difference.offset + i] =
          static_cast<std::byte>(std::uint64_t{*end - *start} >> (8 * i));
    }
  }

  Lexer& lexer_;
  Section section_;
  std::vector<Difference> differences_;
};

}  // namespace

Section read_section(Lexer& lexer) {
  return SectionReader(lexer).read();
}

}  // namespace tilestep::ptx
