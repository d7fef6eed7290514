// Fills the rows of the table of words (english.h).
//
// A template is a whole sentence with named places: "{thread} adds {product}: {variable} =
// {after}." What is put in carries its own hue. Nothing is glued together from parts that another
// language would put in another order: a list is "{first} and {last}" of its own row, a number with
// its noun comes from counted().
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

// A row of the table by its id; an id that is not there does not compile.
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
};
// "1 thread", "16 threads", "9,216 bytes".
[[nodiscard]] std::string counted(std::uint64_t count, Noun noun);

using Places = std::vector<std::pair<std::string_view, Pieces>>;
// A sentence of a row of the table, its places filled in. Asserts that every place is given.
[[nodiscard]] Sentence say(Kind kind, Say row, const Places& places);
// The long form alone, as a part of another sentence or a label.
[[nodiscard]] Pieces part(Say row, const Places& places);
// The names of a template's places, in order.
[[nodiscard]] std::vector<std::string_view> places_of(std::string_view form);

// "A", "A and B", "A, B and C".
[[nodiscard]] Pieces listed(const std::vector<Pieces>& items);
// With a first letter that begins a sentence.
[[nodiscard]] Pieces capital(Pieces pieces);

[[nodiscard]] inline Pieces plain(std::string text) {
  return {{std::move(text), Hue::None, false}};
}
[[nodiscard]] inline Pieces strong(std::string text, Hue hue = Hue::None) {
  return {{std::move(text), hue, true}};
}

}  // namespace tilestep::narration
