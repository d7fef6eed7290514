// Fills the rows of the table of sentences (english.h).
//
// A template is a whole sentence with named places: "{thread} adds {product}: {variable} =
// {after}." The inserted values carry their own hue. Nothing is concatenated from parts that
// another language would order differently: a list has its own row "{first} and {last}", and
// counted() returns a number with its noun.
#pragma once

#include "narration/english.h"
#include "narration/sentence.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::narration {

// A row of the table by its id; an unknown id does not compile.
class Say {
 public:
  consteval Say(const char* id) : row_(find(id)) {}  // NOLINT: written as a text
  [[nodiscard]] constexpr const Row& row() const { return kEnglish[row_]; }

 private:
  static consteval std::size_t find(std::string_view id) {
    for (std::size_t i = 0; i < std::size(kEnglish); ++i) {
      if (kEnglish[i].id == id) {
        return i;
      }
    }
    throw "the table has no such row";
  }
  std::size_t row_;
};

// In the order of kNouns.
enum class Noun : std::uint8_t {
  Thread,
  Block,
  Lane,
  Number,
  Zero,
  Product,
  Element,
  Copy,
  Sector,
  PassNoun,
  Byte,
  Word,
  Load,
  Store,
  Read,
  Time,
  Barrier,
  Update,
  Piece,
  Column,
  Arrival,
  Check,
  Iteration,
};
// "1 thread", "16 threads", "9,216 bytes".
[[nodiscard]] std::string counted(std::uint64_t count, Noun noun);

using Places = std::vector<std::pair<std::string_view, Pieces>>;
// A sentence from a row of the table, with its places filled. Asserts that every place is given.
[[nodiscard]] Sentence say(Kind kind, Say row, const Places& places);
// The long form alone, as a part of another sentence or a label.
[[nodiscard]] Pieces part(Say row, const Places& places);
// The names of a template's places, in order.
[[nodiscard]] std::vector<std::string_view> places_of(std::string_view form);

// "A", "A and B", "A, B and C".
[[nodiscard]] Pieces listed(const std::vector<Pieces>& items);
// With a capital first letter.
[[nodiscard]] Pieces capital(Pieces pieces);

[[nodiscard]] inline Pieces plain(std::string text) {
  return {{std::move(text), Hue::None, false}};
}
[[nodiscard]] inline Pieces strong(std::string text, Hue hue = Hue::None) {
  return {{std::move(text), hue, true}};
}

}  // namespace tilestep::narration
